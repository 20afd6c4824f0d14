import { formatErrors, openUnpacker, parseHeader } from "@mqb/formats";
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
    const unpacker = await openUnpacker(settings.packing, path);
    if (!unpacker) return await readAt(fd, 0, HEADER_MAX);
    try {
      // A frame can only be decrypted as a whole, and the first one may be longer.
      for (let at = 0; ; at += HEADER_MAX) {
        const bytes = await readAt(fd, at, HEADER_MAX);
        unpacker.push(bytes);
        const piece = await unpacker.pull();
        if (piece || bytes.length < HEADER_MAX || !settings.packing.cipher) return piece ?? Buffer.alloc(0);
      }
    } finally {
      unpacker.close();
    }
  } finally {
    await close(fd);
  }
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  const names = new Set(a);
  return a.length === b.length && b.every((name) => names.has(name));
}
