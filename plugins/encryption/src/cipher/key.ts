import { AesGcm } from "./aes-gcm.ts";
import type { SingleCipher } from "./single.ts";
import { XChaCha } from "./xchacha.ts";

export type CipherName = "xchacha20poly1305" | "aes256gcm";

/** A key with its name and the ciphers under it, made when they are first needed. Shows none of its bytes to whoever prints it. */
export class Key {
  readonly id: string;
  readonly idBytes: Buffer;
  readonly #bytes: Buffer;
  #aes: AesGcm | undefined;
  #xchacha: XChaCha | undefined;
  #hashKey: Buffer | undefined;

  constructor(id: string, bytes: Buffer) {
    this.id = id;
    this.idBytes = Buffer.from(id);
    this.#bytes = bytes;
  }

  cipher(name: CipherName): SingleCipher {
    if (name === "aes256gcm") return this.#gcm();
    return (this.#xchacha ??= new XChaCha(this.#bytes));
  }

  /** AES of each 16 bytes by itself. */
  encipherBlocks(blocks: Uint8Array): Buffer {
    return this.#gcm().encipherBlocks(blocks);
  }

  /** AES of 16 zero bytes: what GHASH multiplies with. */
  hashKey(): Buffer {
    return (this.#hashKey ??= this.encipherBlocks(Buffer.alloc(16)));
  }

  copyTo(target: Uint8Array, at: number): void {
    target.set(this.#bytes, at);
  }

  #gcm(): AesGcm {
    return (this.#aes ??= new AesGcm(this.#bytes));
  }
}
