import { formatErrors, openDecompressor, parseHeader } from "@mqb/formats";
import { HEADER_MAX, type RecordSettings } from "../config.ts";
import { reasonOf } from "../errors.ts";
import { close, open, readAt } from "../fs-calls.ts";

/**
 * The columns that a file's header names. Rejects with a `retryable` error when there is something that cannot be read:
 * a second header, or rows below the wrong one, could not be told from data later.
 */
export async function readHeader(path: string, settings: RecordSettings): Promise<readonly string[]> {
  const { csv, delimiter } = settings;
  let head: Buffer;
  try {
    head = await readHead(path, settings);
  } catch (cause) {
    throw formatErrors.HEADER_UNREADABLE({ source: path, reason: reasonOf(cause) }, { cause });
  }
  const columns = parseHeader(csv, delimiter, head);
  if (columns === undefined) {
    throw formatErrors.HEADER_UNREADABLE({ source: path, reason: "no header row within its first MiB" });
  }
  if (csv.columns.length === 0 || sameNames(csv.columns, columns)) return columns;
  throw formatErrors.HEADER_DIFFERS({ source: path, found: columns, wanted: csv.columns });
}

async function readHead(path: string, settings: RecordSettings): Promise<Buffer> {
  const fd = await open(path, "r");
  try {
    const head = await readAt(fd, 0, HEADER_MAX);
    if (!settings.compression) return head;
    const decompressor = await openDecompressor(settings.compression, path);
    try {
      decompressor.push(head);
      return (await decompressor.pull()) ?? Buffer.alloc(0);
    } finally {
      decompressor.close();
    }
  } finally {
    await close(fd);
  }
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  const names = new Set(a);
  return a.length === b.length && b.every((name) => names.has(name));
}
