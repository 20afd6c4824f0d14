import { join } from "node:path";
import { fileName, listFiles } from "./folder.ts";
import { HEADER_SIZE } from "./frame.ts";
import { readFileOf } from "./log.ts";
import { refuseForeign } from "./open.ts";
import { eachKey, type Range, type Scan, scan } from "./scan.ts";

/** What one file of keys holds, for people. */
export interface FileReport {
  readonly file: string;
  readonly bytes: number;
  /** Keys that have not expired. */
  readonly keys: number;
  readonly expired: number;
  /** Bytes that cannot be read, with whole frames behind them. */
  readonly damaged: readonly Range[];
  /** A write at the end that did not finish, as a crash leaves it; no harm. */
  readonly unfinished: Range | undefined;
  /** The file cannot be read from its beginning on. */
  readonly headless: boolean;
}

/** Looks at every byte of the keys in a folder; changes nothing, and may be called while they are in use. */
export async function inspectFolder(folder: string, now: number): Promise<readonly FileReport[] | undefined> {
  const numbers = await listFiles(folder);
  if (!numbers) return undefined;
  const reports: FileReport[] = [];
  let seed: Buffer | undefined;
  for (const number of numbers) {
    const bytes = await readFileOf(folder, number);
    const found = scan(bytes);
    const file = join(folder, fileName(number));
    refuseForeign(found, seed, file, folder);
    seed ??= found.header?.seed;
    reports.push(reportOf(file, bytes, found, now));
  }
  return reports;
}

function reportOf(file: string, bytes: Buffer, { frames, damaged, unfinished, header }: Scan, now: number): FileReport {
  let keys = 0;
  let expired = 0;
  eachKey(bytes, frames, (_, expiresAt, answer) => {
    if (answer) return;
    if (expiresAt > now) keys++;
    else expired++;
  });
  const headless = header === undefined && bytes.length >= HEADER_SIZE;
  const report = { file, bytes: bytes.length, keys, expired, damaged, headless };
  // A crash may come between making a file and writing into it.
  if (bytes.length < HEADER_SIZE) return { ...report, unfinished: { from: 0, to: bytes.length } };
  return { ...report, unfinished };
}

/** Whether a file has lost something that was stored. */
export function isDamaged({ damaged, headless }: FileReport): boolean {
  return headless || damaged.length > 0;
}
