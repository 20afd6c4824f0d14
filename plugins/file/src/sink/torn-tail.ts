import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { close, endOfLast, fstat, open, truncate } from "../fs-calls.ts";
import { isAlive, type ProcessMark, thisProcess } from "../process-mark.ts";

/** What is being appended: by whom, to which file, behind which size, how many bytes. */
interface Append extends ProcessMark {
  readonly ino: string;
  readonly size: number;
  readonly length: number;
}

const SETTLE_MS = 20;
const MARK_LENGTH = 128;
/** The name can be foreseen: a link that somebody has put there is not followed. */
const MARK_FLAGS = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_TRUNC | (fs.constants.O_NOFOLLOW ?? 0);

/**
 * A small hidden file beside a file that is appended to. It says before every write what is about to be written: a
 * process that is killed in the middle of a write leaves half a record, and the next one to append would merge its first
 * record with it. The mark is taken away on a clean close, and makes the half record recognisable otherwise.
 */
export class TailMark {
  private readonly path: string;
  private fd: number | undefined;
  private unusable = false;

  constructor(path: string) {
    this.path = markOf(path);
  }

  /** Called before every write. Synchronous: it costs a few microseconds, a turn of the thread pool many times that. */
  begin(ino: bigint, size: number, length: number): void {
    if (this.unusable) return;
    try {
      this.fd ??= fs.openSync(this.path, MARK_FLAGS, 0o600);
      const append: Append = { ...thisProcess(), ino: String(ino), size, length };
      fs.writeSync(this.fd, JSON.stringify(append).padEnd(MARK_LENGTH), 0);
    } catch {
      // A folder that takes no new files: the records themselves are still appended.
      this.unusable = true;
    }
  }

  end(): void {
    if (this.fd === undefined) return;
    fs.closeSync(this.fd);
    this.fd = undefined;
    fs.rmSync(this.path, { force: true });
  }
}

/**
 * Cuts off what a killed process wrote of a batch without finishing it: back to its last whole record, or all of it
 * where `terminator` is undefined (compressed members). Touches nothing unless a mark of a process that is gone says
 * that exactly this write was not finished. Returns how many bytes were cut off.
 */
export async function cutTornTail(path: string, fd: number, terminator: Uint8Array | undefined): Promise<number> {
  const before = torn(readMark(path), await fstat(fd));
  if (!before) return 0;
  // A writer whose pid cannot be seen from here, in another container, would have gone on by now.
  await wait(SETTLE_MS);
  const now = await fstat(fd);
  const mark = torn(readMark(path), now);
  if (!mark || mark.size !== before.size || Number(now.size) - before.cut !== mark.size) return 0;
  const keep = terminator ? await lastRecordEnd(path, mark.size, Number(now.size), terminator) : mark.size;
  await truncate(fd, keep);
  fs.rmSync(markOf(path), { force: true });
  return Number(now.size) - keep;
}

function torn(mark: Append | undefined, stats: fs.BigIntStats): (Append & { readonly cut: number }) | undefined {
  if (!mark || mark.ino !== String(stats.ino) || isAlive(mark)) return undefined;
  const cut = Number(stats.size) - mark.size;
  return cut > 0 && cut < mark.length ? { ...mark, cut } : undefined;
}

/** The end of the last record in `[from, to)`, or `from`. The descriptor of an appender cannot be read from. */
async function lastRecordEnd(path: string, from: number, to: number, terminator: Uint8Array): Promise<number> {
  const reader = await open(path, "r");
  try {
    return (await endOfLast(reader, terminator, from, to)) ?? from;
  } finally {
    await close(reader);
  }
}

function readMark(path: string): Append | undefined {
  try {
    const mark = JSON.parse(fs.readFileSync(markOf(path), "utf8")) as Partial<Append> | null;
    const { pid, began: since, ino, size, length } = mark ?? {};
    const numbers = [pid, since, size, length].every((value) => Number.isSafeInteger(value) && (value as number) >= 0);
    return numbers && typeof ino === "string" ? (mark as Append) : undefined;
  } catch {
    return undefined;
  }
}

function markOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.mqb-tail`);
}
