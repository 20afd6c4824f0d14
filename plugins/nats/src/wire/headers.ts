import { asBuffer, type Metadata } from "@mqb/core/plugin";

/** The id of a message, as 32 hexadecimal digits. */
export const ID_HEADER = "mq_bridge.message_id";
export const DEDUP_HEADER = "Nats-Msg-Id";
/** What tells where a message was read stays with the route that has read it. */
export const SOURCE_PREFIX = "mqb.src.";
export const NO_BLOCK: Buffer = Buffer.alloc(0);

const NAME = /^[!-9;-~]+$/;
const LINE_END = /[\r\n]/;

/** Metadata that cannot be a header, or must not be one. */
export type Withheld = (name: string) => void;

/**
 * The header lines of some metadata, without the first line and the empty last one; "" when there are none.
 * - The id is not among them: it is written beside, also when the metadata has a name like its own.
 * - `Nats-…` tells the server what to do with the stream (`Nats-Rollup` empties it), so of these only the deduplication id
 *   is taken from a message.
 * - What is no header name, or has a line end in its value, is not sent, and `withheld` hears of it.
 */
export function headerLines(metadata: Metadata, withheld: Withheld): string {
  let lines = "";
  for (const [name, value] of metadata) {
    if (name === ID_HEADER || name.startsWith(SOURCE_PREFIX)) continue;
    if (!NAME.test(name) || LINE_END.test(value) || (name.startsWith("Nats-") && name !== DEDUP_HEADER)) withheld(name);
    else lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/**
 * The metadata in a header block, as the original reads it: blanks around a value go away, and with them an empty value; the
 * values of one name are joined by commas; names differ by case; nobody outside says where we have read.
 */
export function readHeaders(block: Uint8Array): Map<string, string> {
  const metadata = new Map<string, string>();
  const text = asBuffer(block).toString("utf8");
  let start = text.indexOf("\r\n") + 2;
  while (start > 1 && start < text.length) {
    const end = text.indexOf("\r\n", start);
    const line = text.slice(start, end < 0 ? undefined : end);
    start = end < 0 ? text.length : end + 2;
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    if (value === "" || name.startsWith(SOURCE_PREFIX)) continue;
    const before = metadata.get(name);
    metadata.set(name, before === undefined ? value : `${before},${value}`);
  }
  return metadata;
}

const ID_LINE = Buffer.from(`\r\n${ID_HEADER}:`);
const DEDUP_LINE = Buffer.from(`\r\n${DEDUP_HEADER}:`);

/** The first value of the id header, without the blanks around it; undefined when there is none. */
export function idHeader(block: Uint8Array): string | undefined {
  return firstValue(asBuffer(block), ID_LINE);
}

export function dedupHeader(block: Uint8Array): string | undefined {
  return firstValue(asBuffer(block), DEDUP_LINE);
}

function firstValue(block: Buffer, line: Buffer): string | undefined {
  const at = block.indexOf(line);
  if (at < 0) return undefined;
  const end = block.indexOf("\r\n", at + line.length);
  return block.toString("latin1", at + line.length, end < 0 ? block.length : end).trim();
}

/** How a block of ours begins, and where its id does. */
const OWN_START = Buffer.from(`NATS/1.0\r\n${ID_HEADER}: `);
const ID_DIGITS = 32;
const CARRIAGE_RETURN = 13;
const HYPHEN = 45;
const LOWER_CASE = 32;

/**
 * Writes the id of a block that begins with our header, as all of ours do, as the 36 characters of an id. False for any
 * other block, which is to be read in full. The block is the bytes from `from` to `to`.
 */
export function writeIdHeader(bytes: Uint8Array, from: number, to: number, into: Uint8Array, at: number): boolean {
  const digits = from + OWN_START.length;
  const end = digits + ID_DIGITS;
  if (end >= to || bytes[end] !== CARRIAGE_RETURN) return false;
  for (let i = 0; i < OWN_START.length; i++) if (bytes[from + i] !== OWN_START[i]) return false;
  let place = at;
  for (let i = 0; i < ID_DIGITS; i++) {
    const digit = bytes[digits + i]!;
    const letter = digit | LOWER_CASE;
    const isDigit = digit >= 48 && digit <= 57;
    if (!isDigit && !(letter >= 97 && letter <= 102)) return false;
    if (i === 8 || i === 12 || i === 16 || i === 20) into[place++] = HYPHEN;
    into[place++] = isDigit ? digit : letter;
  }
  return true;
}
