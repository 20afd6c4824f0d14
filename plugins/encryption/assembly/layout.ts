// Addresses that src/cipher/bulk.ts knows too. Numbers are bytes.
export const KEY: usize = 64; // 32: the cipher's key
export const NONCE: usize = 96; // 24: of the next message; sealing counts it up
export const KEYED: usize = 128; // 16: the start of the nonce that SUBKEY was made for
export const SUBKEY: usize = 160; // 32
export const IS_KEYED: usize = 192; // 4: whether SUBKEY holds
export const STREAM: usize = 256; // 256: four blocks of key stream
export const POLY: usize = 512; // 136: r, 5r, h and the pad, as u64
export const LAST: usize = 768; // 16: an incomplete block, filled up with zeros
export const WANTED: usize = 896; // 16: the tag that an envelope should have
export const HEADER: usize = 1024; // 258 at most: version, cipher, key id
export const HASH_KEY: usize = 1344; // 16: AES-GCM's key of GHASH
export const HASH: usize = 1360; // 48: the same in pieces, and their bits reversed
export const SUM: usize = 1408; // 16: what GHASH has come to
export const COUNTING: usize = 1424; // 12: the nonce while counter blocks are written
export const AAD: usize = 2048; // what is authenticated beside the payload
export const AAD_SIZE: usize = 63488;

// Eight words for each message.
export const SLOT: usize = 32;
export const AT_START: usize = 0; // sealing: of the payload; opening: of the envelope
export const AT_NONCE: usize = 4; // opening: of the nonce
export const AT_END: usize = 8;
export const AT_AAD: usize = 12; // start and end of the additional data, behind header and nonce
export const AT_AAD_END: usize = 16;
export const AT_OUT: usize = 20; // opening: where the payload begins, or 0 when it is not authentic
