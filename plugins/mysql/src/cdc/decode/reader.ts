import { StreamFault } from "./fault.ts";

/** Reads fields of an event; throws where it ends too early. */
export class Reader {
  at: number;
  readonly end: number;
  readonly bytes: Buffer;

  constructor(bytes: Buffer, at: number, end: number) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  get left(): number {
    return this.end - this.at;
  }

  byte(): number {
    return this.bytes[this.take(1)]!;
  }

  /** Of at most six bytes, the lowest first. */
  int(size: number): number {
    return this.bytes.readUIntLE(this.take(size), size);
  }

  long(): bigint {
    return this.bytes.readBigUInt64LE(this.take(8));
  }

  /** A number that says how long it is. */
  length(): number {
    const first = this.byte();
    if (first < 251) return first;
    if (first === 252) return this.int(2);
    if (first === 253) return this.int(3);
    if (first === 254) return Number(this.long());
    throw new StreamFault("a length that is none");
  }

  slice(size: number): Buffer {
    const at = this.take(size);
    return this.bytes.subarray(at, at + size);
  }

  take(size: number): number {
    const { at } = this;
    if (size > this.end - at) throw new StreamFault("an event that is too short");
    this.at = at + size;
    return at;
  }
}
