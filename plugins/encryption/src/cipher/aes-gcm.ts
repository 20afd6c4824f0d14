import { createCipheriv, createSecretKey, type KeyObject } from "node:crypto";
import { openWith, type SingleCipher, sealWith } from "./single.ts";

/** AES-256-GCM of node:crypto. */
export class AesGcm implements SingleCipher {
  /** Made once: a key as bytes would be made one for every message. */
  readonly #key: KeyObject;

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key);
  }

  seal(nonce: Uint8Array, additional: Uint8Array, payload: Uint8Array, into: Uint8Array, at: number): void {
    sealWith("aes-256-gcm", this.#key, nonce, additional, payload, into, at);
  }

  /** Counter blocks in, key stream out: nothing else may go through this. */
  encipherBlocks(blocks: Uint8Array): Buffer {
    return createCipheriv("aes-256-ecb", this.#key, null).setAutoPadding(false).update(blocks);
  }

  open(nonce: Uint8Array, additional: Uint8Array, sealed: Uint8Array, into: Uint8Array, at: number): boolean {
    return openWith("aes-256-gcm", this.#key, nonce, additional, sealed, into, at);
  }
}
