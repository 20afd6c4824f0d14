import { randomFillSync } from "node:crypto";
import { endianness } from "node:os";
import type { MessageBatch } from "@mqb/core/plugin";
import { isBinary } from "../frame-type.ts";

const FINAL_TEXT = 0x81;
const FINAL_BINARY = 0x82;
const MASKED = 0x80;
const MASK_BYTES = 4;
const WORDS_FROM = 32;
const IS_LITTLE = endianness() === "LE";

/**
 * Messages of a batch as the frames of a client (RFC 6455), one after another in one buffer: the driver makes several
 * buffers for each message, and masks byte by byte. Each frame is masked with random bytes of its own.
 */
export function framesOf(batch: MessageBatch, from: number, to: number): Buffer {
  let size = 0;
  for (let i = from; i < to; i++) size += frameSize(batch.payload(i).length);
  // Not from the pool of Buffer: it begins at a whole word.
  const bytes = Buffer.allocUnsafeSlow(size);
  const words = new Uint32Array(bytes.buffer, 0, size >>> 2);
  const masks = randomFillSync(Buffer.allocUnsafeSlow(MASK_BYTES * (to - from)));
  let at = 0;
  for (let i = from; i < to; i++) {
    const payload = batch.payload(i);
    bytes[at] = isBinary(payload, batch.metadata(i)) ? FINAL_BINARY : FINAL_TEXT;
    at = writeLength(bytes, at + 1, payload.length);
    const mask = MASK_BYTES * (i - from);
    for (let k = 0; k < MASK_BYTES; k++) bytes[at + k] = masks[mask + k]!;
    bytes.set(payload, at + MASK_BYTES);
    applyMask(bytes, words, at, payload.length);
    at += MASK_BYTES + payload.length;
  }
  return bytes;
}

function frameSize(length: number): number {
  return length + MASK_BYTES + (length < 126 ? 2 : length < 65_536 ? 4 : 10);
}

/** Returns where the mask begins. */
function writeLength(bytes: Buffer, at: number, length: number): number {
  if (length < 126) {
    bytes[at] = MASKED | length;
    return at + 1;
  }
  if (length < 65_536) {
    bytes[at] = MASKED | 126;
    return bytes.writeUInt16BE(length, at + 1);
  }
  bytes[at] = MASKED | 127;
  return bytes.writeBigUInt64BE(BigInt(length), at + 1);
}

/** Masks `length` bytes behind the mask that stands at `mask`: whole words where it is worth it. */
function applyMask(bytes: Buffer, words: Uint32Array, mask: number, length: number): void {
  const start = mask + MASK_BYTES;
  const end = start + length;
  if (length < WORDS_FROM) {
    maskBytes(bytes, mask, start, end);
    return;
  }
  const firstWord = (start + 3) >>> 2;
  const lastWord = end >>> 2;
  maskBytes(bytes, mask, start, firstWord << 2);
  const word = wordAt(bytes, mask, (firstWord << 2) - start);
  for (let i = firstWord; i < lastWord; i++) words[i] = words[i]! ^ word;
  maskBytes(bytes, mask, lastWord << 2, end);
}

function maskBytes(bytes: Buffer, mask: number, from: number, to: number): void {
  const start = mask + MASK_BYTES;
  for (let at = from; at < to; at++) bytes[at] = bytes[at]! ^ bytes[mask + ((at - start) & 3)]!;
}

/** The mask as a word of this machine, turned to begin `offset` bytes behind the start of a payload. */
function wordAt(bytes: Buffer, mask: number, offset: number): number {
  const a = bytes[mask + (offset & 3)]!;
  const b = bytes[mask + ((offset + 1) & 3)]!;
  const c = bytes[mask + ((offset + 2) & 3)]!;
  const d = bytes[mask + ((offset + 3) & 3)]!;
  return IS_LITTLE ? a | (b << 8) | (c << 16) | (d << 24) : d | (c << 8) | (b << 16) | (a << 24);
}
