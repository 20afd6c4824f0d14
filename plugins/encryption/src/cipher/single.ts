import {
  type CipherChaCha20Poly1305Types,
  type CipherGCMTypes,
  type CipherKey,
  createCipheriv,
  createDecipheriv,
} from "node:crypto";

export const TAG_BYTES = 16;

/** An AEAD cipher under one key, one message at a time. */
export interface SingleCipher {
  /** Writes the ciphertext and then the tag to `into` from `at` on. */
  seal(nonce: Uint8Array, additional: Uint8Array, payload: Uint8Array, into: Uint8Array, at: number): void;
  /** Writes the payload of a ciphertext with its tag. False, and nothing written, when it is not authentic. */
  open(nonce: Uint8Array, additional: Uint8Array, sealed: Uint8Array, into: Uint8Array, at: number): boolean;
}

type Algorithm = CipherGCMTypes | CipherChaCha20Poly1305Types;

const OPTIONS = { authTagLength: TAG_BYTES };

export function sealWith(
  algorithm: Algorithm,
  key: CipherKey,
  nonce: Uint8Array,
  additional: Uint8Array,
  payload: Uint8Array,
  into: Uint8Array,
  at: number,
): void {
  const cipher = createCipheriv(algorithm as CipherGCMTypes, key, nonce, OPTIONS);
  if (additional.length > 0) cipher.setAAD(additional);
  into.set(cipher.update(payload), at);
  // Both are stream ciphers: nothing is left for the end.
  cipher.final();
  into.set(cipher.getAuthTag(), at + payload.length);
}

export function openWith(
  algorithm: Algorithm,
  key: CipherKey,
  nonce: Uint8Array,
  additional: Uint8Array,
  sealed: Uint8Array,
  into: Uint8Array,
  at: number,
): boolean {
  const size = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(algorithm as CipherGCMTypes, key, nonce, OPTIONS);
  decipher.setAuthTag(sealed.subarray(size));
  if (additional.length > 0) decipher.setAAD(additional);
  const payload = decipher.update(sealed.subarray(0, size));
  try {
    decipher.final();
  } catch {
    return false;
  }
  into.set(payload, at);
  return true;
}
