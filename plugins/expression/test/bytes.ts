import type { ByteSink } from "@mqb/core/plugin";

/** What was appended, as a text. */
export class Bytes implements ByteSink {
  private bytes = Buffer.alloc(0);

  get length(): number {
    return this.bytes.length;
  }

  set length(length: number) {
    this.bytes = this.bytes.subarray(0, length);
  }

  get text(): string {
    return this.bytes.toString();
  }

  byte(byte: number): void {
    this.put(Buffer.of(byte));
  }

  put(bytes: Uint8Array): void {
    this.bytes = Buffer.concat([this.bytes, bytes]);
  }

  constant(bytes: Uint8Array): void {
    this.put(bytes);
  }

  copy(from: Uint8Array, start: number, end: number): void {
    this.put(from.subarray(start, end));
  }

  ascii(text: string): void {
    this.put(Buffer.from(text, "latin1"));
  }
}
