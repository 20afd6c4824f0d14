/** The newer encoding of requests: lengths as unsigned varints, one more than they are, and tagged fields at the end of things. */

export const NO_TAGS = Buffer.from([0]);

export function uvarint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left & 127) | 128);
  bytes.push(left);
  return Buffer.from(bytes);
}

export function compactText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([uvarint(bytes.length + 1), bytes]);
}

export class CompactReader {
  at: number;
  private readonly bytes: Buffer;

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  uvarint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes[this.at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  text(): string | undefined {
    const size = this.uvarint() - 1;
    if (size < 0) return undefined;
    this.at += size;
    return this.bytes.toString("utf8", this.at - size, this.at);
  }

  tags(): void {
    for (let left = this.uvarint(); left > 0; left--) {
      this.uvarint();
      this.at += this.uvarint();
    }
  }
}
