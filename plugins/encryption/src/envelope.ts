import type { CipherName } from "./cipher/key.ts";
import { TAG_BYTES } from "./cipher/single.ts";

/** Version 1 authenticates the payload alone, version 2 also the header and what the caller binds to it. */
export type Version = 1 | 2;

const CIPHERS: readonly CipherName[] = ["xchacha20poly1305", "aes256gcm"];
const NONCE_BYTES: Readonly<Record<CipherName, number>> = { xchacha20poly1305: 24, aes256gcm: 12 };
const FIXED = 3;

export function nonceBytes(cipher: CipherName): number {
  return NONCE_BYTES[cipher];
}

/** What an envelope begins with: version, cipher, the length of the key's id, and that id. */
export function headerOf(version: Version, cipher: CipherName, id: Uint8Array): Buffer {
  return Buffer.from([version, CIPHERS.indexOf(cipher), id.length, ...id]);
}

/** Where the parts of an envelope lie. */
export interface Header {
  readonly version: Version;
  readonly cipher: CipherName;
  readonly id: Buffer;
  /** Bytes before the nonce. */
  readonly size: number;
  /** The shortest envelope that begins so: one of an empty payload. */
  readonly least: number;
}

/** Undefined when no whole envelope stands there. */
export function parseHeader(bytes: Uint8Array, start: number, end: number): Header | undefined {
  if (end - start < FIXED) return undefined;
  const version = bytes[start];
  const cipher = CIPHERS[bytes[start + 1]!];
  if ((version !== 1 && version !== 2) || cipher === undefined) return undefined;
  const size = FIXED + bytes[start + 2]!;
  const least = size + NONCE_BYTES[cipher] + TAG_BYTES;
  if (end - start < least) return undefined;
  return { version, cipher, id: Buffer.from(bytes.subarray(start + FIXED, start + size)), size, least };
}
