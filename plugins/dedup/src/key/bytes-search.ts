/** Looks for a text of bytes by Horspool's method: of what does not hold it, it reads one byte in as many as the text has. */
export class BytesSearch {
  private readonly text: Uint8Array;
  /** How far to go on behind each byte. */
  private readonly steps: Uint32Array;

  constructor(text: Uint8Array) {
    const last = text.length - 1;
    this.text = text;
    this.steps = new Uint32Array(256).fill(text.length);
    for (let i = 0; i < last; i++) this.steps[text[i]!] = last - i;
  }

  /** Whether it is in `bytes[from .. to)`. */
  isIn(bytes: Uint8Array, from: number, to: number): boolean {
    const { text, steps } = this;
    const last = text.length - 1;
    const final = text[last]!;
    for (let at = from + last; at < to; ) {
      const byte = bytes[at]!;
      if (byte === final && this.endsAt(bytes, at)) return true;
      at += steps[byte]!;
    }
    return false;
  }

  private endsAt(bytes: Uint8Array, end: number): boolean {
    const { text } = this;
    for (let i = text.length - 2, at = end - 1; i >= 0; i--, at--) if (bytes[at] !== text[i]) return false;
    return true;
  }
}
