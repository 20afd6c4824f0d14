import { isUtf8 } from "node:buffer";
import type { MessageBatch } from "@mqb/core/plugin";
import { HEAD } from "./output.ts";
import type { OutputPool } from "./output-pool.ts";
import type { Payloads } from "./payloads.ts";

const LABEL = Buffer.from('","payload_base64":"');
const ID_LENGTH = 36;
const QUOTE = 34;
const PADDING = 61;
/** Both characters of 12 bits in base64. */
const [FIRST, SECOND] = charactersOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");

/**
 * A `normal` batch of which no payload is UTF-8, as compressed and encrypted ones are: written in one pass, with no text or
 * buffer for each message. `tailOf` gives what stands behind a payload's closing quote.
 */
export function encodeBinaryEnvelopes(
  batch: MessageBatch,
  payloads: Payloads,
  pool: OutputPool,
  tailOf: (index: number) => Buffer,
): Buffer {
  const { bytes, starts, ends, count } = payloads;
  const tails: Buffer[] = [];
  let size = count * (HEAD.length + ID_LENGTH + LABEL.length + 1);
  for (let i = 0; i < count; i++) {
    const [start, end] = [starts[i]!, ends[i]!];
    const tail = tailOf(i);
    tails.push(tail);
    size += 4 * Math.ceil((end - start) / 3) + tail.length;
  }
  const out = pool.take(size);
  let at = 0;
  for (let i = 0; i < count; i++) {
    at = copy(HEAD, out, at);
    if (batch.writeId) batch.writeId(i, out, at);
    else out.write(batch.id(i), at, ID_LENGTH, "latin1");
    at = copy(LABEL, out, at + ID_LENGTH);
    at = writeBase64(bytes, starts[i]!, ends[i]!, out, at);
    out[at++] = QUOTE;
    at = copy(tails[i]!, out, at);
  }
  return out;
}

/** Whether none of the payloads is UTF-8. */
export function areBinary({ bytes, starts, ends, count }: Payloads): boolean {
  for (let i = 0; i < count; i++) if (!isBinary(bytes, starts[i]!, ends[i]!)) return false;
  return true;
}

const LOOKED_AT = 64;

/** Mostly the first byte that is no ASCII tells, or what follows it. */
function isBinary(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end && at < start + LOOKED_AT; at++) {
    const byte = bytes[at]!;
    if (byte < 0x80) continue;
    // No character begins so, and none ends behind its first byte.
    if (byte < 0xc2 || byte > 0xf4 || at + 1 === end || (bytes[at + 1]! & 0xc0) !== 0x80) return true;
    break;
  }
  return !isUtf8(bytes.subarray(start, end));
}

/** Short texts; a call for each would take longer than the loop. */
function copy(from: Uint8Array, into: Uint8Array, at: number): number {
  for (let i = 0; i < from.length; i++) into[at++] = from[i]!;
  return at;
}

function writeBase64(bytes: Uint8Array, start: number, end: number, into: Uint8Array, to: number): number {
  let at = to;
  let from = start;
  for (const whole = end - ((end - start) % 3); from < whole; from += 3) {
    const high = (bytes[from]! << 4) | (bytes[from + 1]! >> 4);
    const low = ((bytes[from + 1]! & 15) << 8) | bytes[from + 2]!;
    into[at] = FIRST[high]!;
    into[at + 1] = SECOND[high]!;
    into[at + 2] = FIRST[low]!;
    into[at + 3] = SECOND[low]!;
    at += 4;
  }
  if (from === end) return at;
  const isPair = end - from === 2;
  const high = (bytes[from]! << 4) | (isPair ? bytes[from + 1]! >> 4 : 0);
  into[at] = FIRST[high]!;
  into[at + 1] = SECOND[high]!;
  into[at + 2] = isPair ? FIRST[(bytes[from + 1]! & 15) << 8]! : PADDING;
  into[at + 3] = PADDING;
  return at + 4;
}

function charactersOf(alphabet: string): [Uint8Array, Uint8Array] {
  const of = (shift: number) =>
    Uint8Array.from({ length: 4096 }, (_, bits) => alphabet.charCodeAt((bits >> shift) & 63));
  return [of(6), of(0)];
}
