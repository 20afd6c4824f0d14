import { createSecretKey, type KeyObject } from "node:crypto";
import { hchacha20 } from "./hchacha20.ts";
import { openWith, type SingleCipher, sealWith } from "./single.ts";

/** How much of a nonce the subkey is made from. */
const DERIVING = 16;

/** XChaCha20-Poly1305: ChaCha20-Poly1305 of node:crypto under a subkey made from the start of the nonce. */
export class XChaCha implements SingleCipher {
  readonly #key: Uint8Array;
  /** Nonces that are counted up share their start, and so the subkey. */
  readonly #derivedFrom = Buffer.alloc(DERIVING);
  #subkey: KeyObject | undefined;
  /** Four zero bytes, then the rest of the nonce. */
  readonly #rest = Buffer.alloc(12);

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  seal(nonce: Uint8Array, additional: Uint8Array, payload: Uint8Array, into: Uint8Array, at: number): void {
    sealWith("chacha20-poly1305", this.#derive(nonce), this.#rest, additional, payload, into, at);
  }

  open(nonce: Uint8Array, additional: Uint8Array, sealed: Uint8Array, into: Uint8Array, at: number): boolean {
    return openWith("chacha20-poly1305", this.#derive(nonce), this.#rest, additional, sealed, into, at);
  }

  #derive(nonce: Uint8Array): KeyObject {
    this.#rest.set(nonce.subarray(DERIVING), 4);
    if (this.#subkey && this.#derivedFrom.compare(nonce, 0, DERIVING) === 0) return this.#subkey;
    this.#derivedFrom.set(nonce.subarray(0, DERIVING));
    return (this.#subkey = createSecretKey(hchacha20(this.#key, this.#derivedFrom)));
  }
}
