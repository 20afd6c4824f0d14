import { type FileHandle, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { errors } from "../errors.ts";

const NAME = /^keys-(\d{10})\.log$/;
const LEFT = /^keys-\d{10}\.log\.tmp$/;
const OWN = /^(keys-\d{10}\.log(\.tmp|\.damaged(-\d+)?)?|dedup\.lock(\..*)?)$/;
/** What a sled database is made of. */
const SLED = ["conf", "db", "blobs"];

export function fileName(number: number): string {
  return `keys-${String(number).padStart(10, "0")}.log`;
}

/** The number of a file of keys; undefined for other names. */
export function numberOf(name: string): number | undefined {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The numbers of the files of keys in a folder, ascending; undefined when the folder is not there. Throws a `config` error
 * when it is no folder, or one of somebody else.
 */
export async function listFiles(folder: string): Promise<number[] | undefined> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ENOTDIR") throw errors.NOT_A_FOLDER({ path: folder }, { cause: error });
    throw errors.IO({ path: folder, action: "read" }, { cause: error });
  }
  const numbers = names.map(numberOf).filter((number) => number !== undefined);
  const foreign = names.filter((name) => !OWN.test(name) && !name.startsWith("."));
  const found = foreign.find((name) => SLED.includes(name)) ?? foreign[0];
  if (numbers.length === 0 && found !== undefined) throw errors.FOREIGN({ path: folder, found });
  return numbers.sort((a, b) => a - b);
}

/** What a compaction that was killed has left. */
export async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (LEFT.test(name)) await rm(join(folder, name), { force: true });
}

export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (cause) {
    const isFile = await stat(folder).then(
      (found) => !found.isDirectory(),
      () => false,
    );
    throw isFile
      ? errors.NOT_A_FOLDER({ path: folder }, { cause })
      : errors.IO({ path: folder, action: "stored" }, { cause });
  }
}

/** Makes new names in a folder durable. Windows cannot sync a folder and needs no such thing. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes all of these from a position on; a short write is continued. */
export async function writeAll(file: FileHandle, buffers: readonly Buffer[], position: number): Promise<void> {
  const bytes = buffers.length === 1 ? buffers[0]! : Buffer.concat(buffers);
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}
