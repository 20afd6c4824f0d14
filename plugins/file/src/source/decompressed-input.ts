import type { Decompressor } from "@mqb/formats";
import type { ByteInput, Chunk } from "./input.ts";

/** The decompressed bytes of another input. Rejects with `permanent` errors for damaged data. */
export class DecompressedInput implements ByteInput {
  private readonly inner: ByteInput;
  private readonly decompressor: Decompressor;
  /** The end of the inner input is the end of the data, so that an open member is one that was cut off. */
  private readonly final: boolean;
  /** Decoded bytes to pass over: they were read before. */
  private skip: number;
  private finished = false;
  /** The next compressed bytes, read while these are worked on. */
  private ahead: Promise<Chunk | "end"> | undefined;

  constructor(inner: ByteInput, decompressor: Decompressor, options: { final: boolean; skip: number }) {
    this.inner = inner;
    this.decompressor = decompressor;
    this.final = options.final;
    this.skip = options.skip;
  }

  async next(): Promise<Chunk | "end"> {
    for (;;) {
      const piece = await this.decompressor.pull();
      if (piece !== undefined) {
        if (this.skip >= piece.length) {
          this.skip -= piece.length;
          continue;
        }
        const start = this.skip;
        this.skip = 0;
        return { bytes: piece, start, end: piece.length };
      }
      const chunk = await (this.ahead ?? this.inner.next());
      this.ahead = undefined;
      if (chunk === "end") {
        if (!this.final || this.finished) return "end";
        this.finished = true;
        this.decompressor.finish();
        continue;
      }
      this.decompressor.push(chunk.bytes.subarray(chunk.start, chunk.end));
      this.ahead = this.inner.next();
      this.ahead.catch(() => {});
    }
  }

  async close(): Promise<void> {
    this.decompressor.close();
    await this.inner.close();
  }
}
