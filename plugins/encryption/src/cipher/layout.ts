import type { CipherName } from "./key.ts";

/** Addresses in the memory of the loops; those below `SLOTS` as in assembly/layout.ts. */
export const KEY = 64;
export const NONCE = 96;
export const HEADER = 1024;
export const HASH_KEY = 1344;

export const SLOT_WORDS = 8;
export const AT_START = 0;
export const AT_NONCE = 1;
export const AT_END = 2;
export const AT_AAD = 3;
export const AT_AAD_END = 4;
export const AT_OUT = 5;

/** Longest data that one message may bind beside its header and nonce: what AAD, or a lane of GHASH, has room for. */
export const BOUND_MAX: Readonly<Record<CipherName, number>> = { xchacha20poly1305: 62_000, aes256gcm: 1024 };
/** Messages of one load. */
export const LOAD_MAX = 2048;
const SLACK = 64;

export const SLOTS = 65_536;
export const IN = SLOTS + LOAD_MAX * SLOT_WORDS * 4;
/** A load stays in the second-level cache. */
export const IN_END = IN + 256 * 1024;
export const OUT = IN_END + SLACK;
export const OUT_END = OUT + 512 * 1024;
/** Key streams of AES: for each message one block for the tag, and those of its payload. */
export const STREAMS = OUT_END + SLACK;
export const MEMORY_BYTES = STREAMS + (IN_END - IN) + LOAD_MAX * 32 + SLACK;
