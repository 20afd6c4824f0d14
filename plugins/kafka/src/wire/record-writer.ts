import type { Metadata } from "@mqb/core/plugin";
import { exactHeaders, type Header } from "./exact-headers.ts";
import { EXACT_HEADERS, HEX_OF_BYTE, ID_HEADER, isReserved, TOMBSTONE } from "./names.ts";

const ID_NAME = Buffer.from(ID_HEADER);
const LEAST = 16 * 1024;
/** Length prefix, attributes, deltas, lengths and the id header. */
const AROUND = 128;

/**
 * Records of one partition, one after another as a record batch holds them. The buffer moves when it has to
 * grow.
 */
export class RecordWriter {
  private bytes = Buffer.allocUnsafe(LEAST);
  length = 0;
  count = 0;
  /** Bytes that the length of the record being written takes, most likely. */
  private guess = 0;

  written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  /** Begins a new batch. What was written stays where it is. */
  restart(): void {
    this.bytes = Buffer.allocUnsafe(this.bytes.length);
    this.length = 0;
    this.count = 0;
  }

  /**
   * A message as mqb writes it: the id as first header, then its metadata. `id` are 16 bytes at `idAt`; `key` null = the id is
   * the key.
   */
  message(id: Uint8Array, idAt: number, key: Uint8Array | null, payload: Uint8Array, metadata: Metadata): void {
    const start = this.begin(AROUND + (key ? key.length : 16) + payload.length);
    if (key) this.lengthAndBytes(key);
    else {
      this.varint(16);
      const { bytes } = this;
      for (let i = 0, at = this.length; i < 16; i++) bytes[at++] = id[idAt + i]!;
      this.length += 16;
    }
    let own = metadata.size;
    let isNull = false;
    let exact: readonly Header[] | undefined;
    if (own > 0) {
      if (metadata.has(EXACT_HEADERS)) exact = exactHeaders(metadata);
      for (const name of metadata.keys()) if (isReserved(name) || name === TOMBSTONE) own -= 1;
      isNull = metadata.get(TOMBSTONE) === "true";
    }
    if (isNull) this.bytes[this.length++] = 1;
    else this.lengthAndBytes(payload);
    this.varint((exact?.length ?? own) + 1);
    this.idHeader(id, idAt);
    if (exact) for (const [name, value] of exact) this.header(name, value);
    else if (own > 0) {
      for (const [name, value] of metadata) if (!isReserved(name) && name !== TOMBSTONE) this.header(name, value);
    }
    this.finish(start);
  }

  /** A record of any kind: an answer, for instance. */
  plain(key: Uint8Array | null, value: Uint8Array | null, headers: readonly (readonly [string, string])[]): void {
    const start = this.begin(AROUND + (key?.length ?? 0) + (value?.length ?? 0));
    for (const part of [key, value]) {
      if (part) this.lengthAndBytes(part);
      else this.bytes[this.length++] = 1;
    }
    this.varint(headers.length);
    for (const [name, value] of headers) this.header(name, value);
    this.finish(start);
  }

  private begin(room: number): number {
    this.reserve(room);
    const start = this.length;
    // Room for the length, of the size that it most likely has.
    this.guess = varintSize(room - 40);
    this.length += this.guess;
    this.bytes[this.length++] = 0; // attributes
    this.bytes[this.length++] = 0; // timestamp: that of the batch
    this.varint(this.count++);
    return start;
  }

  private finish(start: number): void {
    const guessed = this.guess;
    const size = this.length - start - guessed;
    const needed = varintSize(size);
    if (needed !== guessed) {
      this.reserve(5);
      this.bytes.copyWithin(start + needed, start + guessed, this.length);
    }
    const end = start + needed + size;
    this.length = start;
    this.varint(size);
    this.length = end;
  }

  private idHeader(id: Uint8Array, idAt: number): void {
    const { bytes } = this;
    let at = this.length;
    bytes[at++] = ID_NAME.length * 2;
    for (let i = 0; i < ID_NAME.length; i++) bytes[at++] = ID_NAME[i]!;
    bytes[at++] = 64;
    for (let i = 0; i < 16; i++) {
      const pair = HEX_OF_BYTE[id[idAt + i]!]!;
      bytes[at++] = pair >> 8;
      bytes[at++] = pair & 255;
    }
    this.length = at;
  }

  private header(name: string, value: Uint8Array | string | null): void {
    this.reserve(3 * (name.length + (value?.length ?? 0)) + 10);
    this.text(name);
    if (typeof value === "string") this.text(value);
    else if (value) this.lengthAndBytes(value);
    else this.bytes[this.length++] = 1;
  }

  /** Room for it is there. */
  private text(text: string): void {
    const { bytes } = this;
    const at = this.length;
    // Most texts are short: one byte says their length.
    const size = bytes.write(text, at + 1);
    if (size < 64) {
      bytes[at] = size * 2;
      this.length = at + 1 + size;
      return;
    }
    bytes.copyWithin(at + varintSize(size), at + 1, at + 1 + size);
    this.varint(size);
    this.length += size;
  }

  private lengthAndBytes(part: Uint8Array): void {
    this.varint(part.length);
    this.bytes.set(part, this.length);
    this.length += part.length;
  }

  /** A number from 0 on, in zigzag. */
  private varint(value: number): void {
    const { bytes } = this;
    let left = value * 2;
    let at = this.length;
    for (; left > 127; left = Math.floor(left / 128)) bytes[at++] = (left & 127) | 128;
    bytes[at++] = left;
    this.length = at;
  }

  private reserve(size: number): void {
    if (this.length + size <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.length + size));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}

function varintSize(value: number): number {
  return value < 64 ? 1 : value < 8192 ? 2 : value < 1_048_576 ? 3 : value < 134_217_728 ? 4 : 5;
}
