import type { AtRestCipher } from "../at-rest.ts";
import type { CodecName } from "../config.ts";
import type { Compressor, Decompressor } from "./codec.ts";
import { openCompressor, openDecompressor } from "./index.ts";

/** What is done to the records of one write before they are stored: compressed first, then encrypted. */
export interface Packing {
  readonly compression: CodecName | undefined;
  readonly cipher: AtRestCipher | undefined;
}

/** Packs what one write stores; undefined when it is stored as it is. Loads the codec. */
export async function openPacker({ compression, cipher }: Packing): Promise<Compressor | undefined> {
  const compressor = compression && (await openCompressor(compression));
  return cipher ? new SealingCompressor(compressor, cipher) : compressor;
}

/** Undoes what packers did; undefined when records are stored as they are. `source` names the data in errors. */
export async function openUnpacker(
  { compression, cipher }: Packing,
  source: string,
): Promise<Decompressor | undefined> {
  const decompressor = compression && (await openDecompressor(compression, source));
  if (!cipher) return decompressor;
  const unsealer = cipher.unseal(source);
  return decompressor ? new Chain(unsealer, decompressor) : unsealer;
}

/** All members of one write in one frame. */
class SealingCompressor implements Compressor {
  private readonly inner: Compressor | undefined;
  private readonly cipher: AtRestCipher;

  constructor(inner: Compressor | undefined, cipher: AtRestCipher) {
    this.inner = inner;
    this.cipher = cipher;
  }

  async compress(bytes: Uint8Array): Promise<readonly Uint8Array[]> {
    if (!this.inner) return [this.cipher.seal(bytes)];
    const members = await this.inner.compress(bytes);
    return [this.cipher.seal(members.length === 1 ? members[0]! : Buffer.concat(members))];
  }
}

/** What comes out of the first goes into the second. */
class Chain implements Decompressor {
  private readonly first: Decompressor;
  private readonly second: Decompressor;

  constructor(first: Decompressor, second: Decompressor) {
    this.first = first;
    this.second = second;
  }

  push(bytes: Buffer): void {
    this.first.push(bytes);
  }

  async pull(): Promise<Buffer | undefined> {
    for (;;) {
      const piece = await this.second.pull();
      if (piece) return piece;
      const between = await this.first.pull();
      if (!between) return undefined;
      this.second.push(between);
    }
  }

  finish(): void {
    this.first.finish();
    this.second.finish();
  }

  close(): void {
    this.first.close();
    this.second.close();
  }
}
