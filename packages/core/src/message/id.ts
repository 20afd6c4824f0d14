import { randomFillSync } from "node:crypto";

/** A message id: a 128-bit number, written as lower-case hyphenated UUID text. */
export type MessageId = string;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const UUID = /^(\{|urn:uuid:|)([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(\}|)$/i;
const MAX = (1n << 128n) - 1n;

/**
 * Makes UUIDs of version 7: 48 bits of Unix milliseconds, a 12-bit counter that keeps the ids of one millisecond in
 * order (RFC 9562, method 1), 62 random bits. Ids of one generator never go backwards, also when the clock does.
 */
export class IdGenerator {
  private readonly pool = new Uint8Array(8 * 1024);
  private position = this.pool.length;
  private millis = 0;
  private counter = 0;
  private prefix = "";

  next(): MessageId {
    const now = Date.now();
    if (now > this.millis) this.startMillisecond(now);
    else if (++this.counter > 0xfff) this.startMillisecond(this.millis + 1);
    if (this.position === this.pool.length) {
      randomFillSync(this.pool);
      this.position = 0;
    }
    const p = this.pool;
    const at = this.position;
    this.position += 8;
    const c = this.counter;
    return `${this.prefix}${HEX[0x70 | (c >> 8)]}${HEX[c & 0xff]}-${HEX[0x80 | (p[at]! & 0x3f)]}${HEX[p[at + 1]!]}-${HEX[p[at + 2]!]}${HEX[p[at + 3]!]}${HEX[p[at + 4]!]}${HEX[p[at + 5]!]}${HEX[p[at + 6]!]}${HEX[p[at + 7]!]}`;
  }

  /** The bytes of `count` ids, 16 each, in ascending order. */
  many(count: number): Uint8Array {
    const bytes = new Uint8Array(16 * count);
    const words = new DataView(bytes.buffer);
    randomFillSync(bytes);
    const now = Date.now();
    for (let at = 0; at < bytes.length; at += 16) {
      if (now > this.millis) this.startMillisecond(now);
      else if (++this.counter > 0xfff) this.startMillisecond(this.millis + 1);
      words.setUint32(at, this.millis / 0x10000);
      words.setUint32(at + 4, ((this.millis & 0xffff) << 16) | 0x7000 | this.counter);
      bytes[at + 8] = 0x80 | (bytes[at + 8]! & 0x3f);
    }
    return bytes;
  }

  private startMillisecond(millis: number): void {
    this.millis = millis;
    this.counter = 0;
    const hex = millis.toString(16).padStart(12, "0");
    this.prefix = `${hex.slice(0, 8)}-${hex.slice(8)}-`;
  }
}

// One generator a process, so that fresh ids of all routes are in order; its state is not observable otherwise.
const generator = new IdGenerator();

/** A fresh id (UUIDv7), in ascending order within the process. */
export function freshId(): MessageId {
  return generator.next();
}

const DIGITS = Buffer.from("0123456789abcdef");
const HYPHEN = 45;

/** Fresh ids that are made together and become texts only when somebody asks: for batches. */
export class FreshIds {
  readonly bytes: Uint8Array;

  constructor(count: number) {
    this.bytes = generator.many(count);
  }

  at(index: number): MessageId {
    return idFromBytes(this.bytes.subarray(16 * index, 16 * index + 16));
  }

  /** Writes the 36 characters of an id as ASCII. */
  write(index: number, into: Uint8Array, at: number): void {
    const { bytes } = this;
    let from = 16 * index;
    for (let i = 0; i < 16; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) into[at++] = HYPHEN;
      const byte = bytes[from++]!;
      into[at++] = DIGITS[byte >> 4]!;
      into[at++] = DIGITS[byte & 15]!;
    }
  }
}

/** The id that 16 big-endian bytes stand for. Throws a TypeError for another length. */
export function idFromBytes(bytes: Uint8Array): MessageId {
  if (bytes.length !== 16) throw new TypeError(`a message id has 16 bytes, not ${bytes.length}`);
  let hex = "";
  for (const byte of bytes) hex += HEX[byte];
  return hyphenate(hex);
}

/** The 16 big-endian bytes of an id. */
export function idToBytes(id: MessageId): Uint8Array {
  return Buffer.from(id.replaceAll("-", ""), "hex");
}

/** The id of a number of 0 to 2^128 - 1. Throws a RangeError outside of it. */
export function idFromBigInt(value: bigint): MessageId {
  if (value < 0n || value > MAX) throw new RangeError(`a message id is a number of 128 bits, not ${value}`);
  return hyphenate(value.toString(16).padStart(32, "0"));
}

/**
 * Reads an id that somebody else wrote: UUID text (hyphenated, also in braces or after `urn:uuid:`, or 32 hex digits),
 * `0x` hex or decimal digits of at most 128 bits. Any other text becomes its FNV-1a hash of 128 bits, so that foreign ids
 * stay the same at every reading.
 */
export function idFromText(text: string): MessageId {
  const uuid = UUID.exec(text);
  if (uuid && (uuid[1] === "{") === (uuid[3] === "}")) return uuid[2]!.toLowerCase();
  if (/^[0-9a-f]{32}$/i.test(text)) return hyphenate(text.toLowerCase());
  if (/^0x[0-9a-f]{1,32}$/i.test(text)) return hyphenate(text.slice(2).toLowerCase().padStart(32, "0"));
  const decimal = /^0*([0-9]{1,39})$/.exec(text);
  const value = decimal ? BigInt(decimal[1]!) : MAX + 1n;
  return value <= MAX ? idFromBigInt(value) : hashId(text);
}

/** The FNV-1a hash of 128 bits over the UTF-8 bytes of a text, as an id. */
export function hashId(text: string): MessageId {
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x0000000001000000000000000000013bn) & MAX;
  return idFromBigInt(hash);
}

function hyphenate(hex: string): MessageId {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
