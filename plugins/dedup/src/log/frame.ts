import { crc32 } from "node:zlib";
import { idFromBytes, idToBytes, Message } from "@mqb/core/plugin";

/**
 * A file of keys is a header of 64 bytes and frames behind it. Numbers are little-endian, and everything begins at a
 * multiple of 8.
 *
 *     header: "MQBDEDUP", u32 version, u32 0, 16 bytes seed, 28 bytes 0, u32 CRC-32 of all that
 *     frame:  "MQBf", u32 kind, u32 length of the body, u32 CRC-32 of kind, length and body; the body
 *     kind 1: keys, of 24 bytes each: 16 bytes hash, f64 expiry in Unix milliseconds
 *     kind 2: an answer: one key as above; u32 length of what follows as JSON, [key, value] pairs of metadata; u32 length
 *             of the payload; 16 bytes id; the JSON; the payload; 0 to 7 bytes 0
 */
export const HEADER_SIZE = 64;
export const FRAME_HEADER_SIZE = 16;
export const KEY_SIZE = 24;
export const Kind = { keys: 1, answer: 2 } as const;
export const VERSION = 1;

const FILE_MAGIC = Buffer.from("MQBDEDUP");
export const FRAME_MAGIC: Buffer = Buffer.from("MQBf");
const SEED_AT = 16;
const SEED_SIZE = 16;
const HEADER_CRC_AT = 60;

export function headerOf(seed: Uint8Array): Buffer {
  const header = Buffer.alloc(HEADER_SIZE);
  FILE_MAGIC.copy(header);
  header.writeUInt32LE(VERSION, FILE_MAGIC.length);
  header.set(seed, SEED_AT);
  header.writeUInt32LE(crc32(header.subarray(0, HEADER_CRC_AT)), HEADER_CRC_AT);
  return header;
}

/** What a file begins with: `version` of a header whose sum is right, and its seed. */
export function readHeader(bytes: Buffer): { readonly version: number; readonly seed: Buffer } | undefined {
  if (bytes.length < HEADER_SIZE || !bytes.subarray(0, FILE_MAGIC.length).equals(FILE_MAGIC)) return undefined;
  if (bytes.readUInt32LE(HEADER_CRC_AT) !== crc32(bytes.subarray(0, HEADER_CRC_AT))) return undefined;
  const seed = Buffer.from(bytes.subarray(SEED_AT, SEED_AT + SEED_SIZE));
  return { version: bytes.readUInt32LE(FILE_MAGIC.length), seed };
}

/** A frame of keys that is filled in place: `words` and `expiries` see its body. Sealed with `seal`. */
export interface KeysFrame {
  readonly bytes: Buffer;
  /** Six words a key: the hash, and two of the expiry. */
  readonly words: Uint32Array;
  /** Three numbers a key, of which the last one is the expiry. */
  readonly doubles: Float64Array;
}

export function keysFrame(count: number): KeysFrame {
  const buffer = new ArrayBuffer(FRAME_HEADER_SIZE + count * KEY_SIZE);
  return {
    bytes: Buffer.from(buffer),
    words: new Uint32Array(buffer, FRAME_HEADER_SIZE),
    doubles: new Float64Array(buffer, FRAME_HEADER_SIZE),
  };
}

/** Writes the header of a frame whose body is there. */
export function seal(frame: Buffer, kind: number): Buffer {
  FRAME_MAGIC.copy(frame);
  frame.writeUInt32LE(kind, 4);
  frame.writeUInt32LE(frame.length - FRAME_HEADER_SIZE, 8);
  frame.writeUInt32LE(sumOf(frame, 0, frame.length), 12);
  return frame;
}

/** The end of the frame that begins at `at`, or -1 when none does. */
export function frameEnd(bytes: Buffer, at: number): number {
  if (at + FRAME_HEADER_SIZE > bytes.length) return -1;
  for (let i = 0; i < FRAME_MAGIC.length; i++) if (bytes[at + i] !== FRAME_MAGIC[i]) return -1;
  const length = bytes.readUInt32LE(at + 8);
  const end = at + FRAME_HEADER_SIZE + length;
  if (end > bytes.length || length % 8 !== 0) return -1;
  return bytes.readUInt32LE(at + 12) === sumOf(bytes, at, end) ? end : -1;
}

function sumOf(bytes: Buffer, at: number, end: number): number {
  return crc32(bytes.subarray(at + FRAME_HEADER_SIZE, end), crc32(bytes.subarray(at + 4, at + 12)));
}

const LENGTHS_AT = KEY_SIZE;
const ID_AT = LENGTHS_AT + 8;
const TEXT_AT = ID_AT + 16;

/** The frame of an answer to the message with this key. */
export function answerFrame(words: Uint32Array, expiresAt: number, answer: Message): Buffer {
  const metadata = Buffer.from(JSON.stringify([...answer.metadata]));
  const { payload } = answer;
  const length = (TEXT_AT + metadata.length + payload.length + 7) & ~7;
  const frame = Buffer.alloc(FRAME_HEADER_SIZE + length);
  const body = frame.subarray(FRAME_HEADER_SIZE);
  for (let i = 0; i < 4; i++) body.writeUInt32LE(words[i]!, 4 * i);
  body.writeDoubleLE(expiresAt, 16);
  body.writeUInt32LE(metadata.length, LENGTHS_AT);
  body.writeUInt32LE(payload.length, LENGTHS_AT + 4);
  body.set(idToBytes(answer.id), ID_AT);
  body.set(metadata, TEXT_AT);
  body.set(payload, TEXT_AT + metadata.length);
  return seal(frame, Kind.answer);
}

/** The answer in the body of such a frame. */
export function readAnswer(body: Buffer): Message {
  const size = body.readUInt32LE(LENGTHS_AT);
  const metadata = JSON.parse(body.toString("utf8", TEXT_AT, TEXT_AT + size)) as [string, string][];
  const from = TEXT_AT + size;
  const payload = Buffer.from(body.subarray(from, from + body.readUInt32LE(LENGTHS_AT + 4)));
  return new Message(payload, new Map(metadata), idFromBytes(body.subarray(ID_AT, TEXT_AT)));
}
