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
export const TABLES: usize = 1360; // 512: multiples of it, for each byte of a block those of both halves of a byte
export const COUNTING: usize = 1872; // 12: the nonce while counter blocks are written
export const FILLED: usize = 1888; // 64: how many blocks of each lane are hashed
export const AAD: usize = 2048; // XChaCha20-Poly1305: what is authenticated beside the payload
export const AAD_SIZE: usize = 63488;
export const LANES: usize = 2048; // AES-GCM, in the same place: what is hashed of 16 messages
export const STRIDE: usize = 3392; // of one of them: 212 blocks
export const ROWS: usize = 56320; // 256: one block of each of them, or byte by byte the same bytes of all
export const COLUMNS: usize = 56576; // 256: their hashes so far, byte by byte
export const PRODUCT: usize = 56832; // 512: a product before it is reduced

// Eight words for each message.
export const SLOT: usize = 32;
export const AT_START: usize = 0; // sealing: of the payload; opening: of the envelope
export const AT_NONCE: usize = 4; // opening: of the nonce
export const AT_END: usize = 8;
export const AT_AAD: usize = 12; // start and end of the additional data, behind header and nonce
export const AT_AAD_END: usize = 16;
export const AT_OUT: usize = 20; // opening: where the payload begins, or 0 when it is not authentic
