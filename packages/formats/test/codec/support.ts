import { type CodecName, openDecompressor } from "../../src/index.ts";

/** Decompresses input that comes in pieces of `size` bytes; what was decoded before a fault is in `decoded`. */
export async function decompress(codec: CodecName, input: Uint8Array, size = 64 * 1024) {
  const decompressor = await openDecompressor(codec, "data");
  const pieces: Buffer[] = [];
  const pull = async (): Promise<void> => {
    for (let piece = await decompressor.pull(); piece; piece = await decompressor.pull()) pieces.push(piece);
  };
  let failure: unknown;
  try {
    for (let at = 0; at < input.length; at += size) {
      decompressor.push(Buffer.from(input.subarray(at, at + size)));
      await pull();
    }
    decompressor.finish();
    await pull();
  } catch (error) {
    failure = error;
  } finally {
    decompressor.close();
  }
  return { decoded: Buffer.concat(pieces), largest: Math.max(0, ...pieces.map((piece) => piece.length)), failure };
}
