import type { Metadata } from "@mqb/core/plugin";

/**
 * The metadata that is authenticated with a payload, as bytes: for each key in the order of the list its length and itself,
 * then 0 when it is absent, or 1, the value's length and the value. Lengths are 32 bits, the highest byte first.
 */
export class BoundMetadata {
  private readonly keys: readonly { readonly name: string; readonly bytes: Buffer }[];

  constructor(names: readonly string[]) {
    this.keys = names.map((name) => {
      const bytes = Buffer.alloc(4 + Buffer.byteLength(name));
      bytes.write(name, bytes.writeUInt32BE(bytes.length - 4));
      return { name, bytes };
    });
  }

  /** How many bytes `write` writes. */
  size(metadata: Metadata): number {
    let size = 0;
    for (const { name, bytes } of this.keys) {
      const value = metadata.get(name);
      size += bytes.length + 1;
      if (value !== undefined) size += 4 + Buffer.byteLength(value);
    }
    return size;
  }

  /** Returns the end of what was written. */
  write(metadata: Metadata, into: Buffer, at: number): number {
    for (const { name, bytes } of this.keys) {
      into.set(bytes, at);
      at += bytes.length;
      const value = metadata.get(name);
      into[at++] = value === undefined ? 0 : 1;
      if (value === undefined) continue;
      const length = into.write(value, at + 4);
      into.writeUInt32BE(length, at);
      at += 4 + length;
    }
    return at;
  }
}
