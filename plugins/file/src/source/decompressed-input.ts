import type { Decompressor } from "@mqb/formats";
import type { ByteInput, Chunk } from "./input.ts";

/** The decompressed bytes of another input. Rejects with `permanent` errors for damaged data. */
export class DecompressedInput implements ByteInput {
  private readonly inner: ByteInput;
  private readonly decompressor: Decompressor;
  /** Decoded bytes to pass over: they were read before. */
  private skip: number;
  /** The next compressed bytes, read while these are worked on. */
  private ahead: Promise<Chunk | "end"> | undefined;

  constructor(inner: ByteInput, decompressor: Decompressor, skip: number) {
    this.inner = inner;
    this.decompressor = decompressor;
    this.skip = skip;
  }

  async next(): Promise<Chunk | "end"> {
    for (;;) {
      const piece = await this.piece();
      if (piece) return piece;
      const chunk = await (this.ahead ?? this.inner.next());
      this.ahead = undefined;
      if (chunk === "end") return "end";
      this.decompressor.push(chunk.bytes.subarray(chunk.start, chunk.end));
      this.ahead = this.inner.next();
      this.ahead.catch(() => {});
    }
  }

  async finish(): Promise<Chunk | "end"> {
    this.decompressor.finish();
    return (await this.piece()) ?? "end";
  }

  async close(): Promise<void> {
    this.letGo();
    await this.inner.close();
  }

  letGo(): void {
    this.decompressor.close();
  }

  private async piece(): Promise<Chunk | undefined> {
    for (;;) {
      const bytes = await this.decompressor.pull();
      if (bytes === undefined) return undefined;
      if (this.skip >= bytes.length) this.skip -= bytes.length;
      else {
        const start = this.skip;
        this.skip = 0;
        return { bytes, start, end: bytes.length };
      }
    }
  }
}
