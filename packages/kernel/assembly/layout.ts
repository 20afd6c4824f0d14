// Addresses that both twins know: src/layout.ts, times four where that counts words.
export const RES_CONSUMED: usize = 64;
export const RES_WRITTEN: usize = 68;
export const RES_STATUS: usize = 72;
export const RES_SHORT: usize = 76;
export const RES_LONG: usize = 80;
export const RES_LINES: usize = 84;
export const RES_RAGGED: usize = 88;
export const RES_FAULT: usize = 92;
export const RES_REFUSED: usize = 96;

export const CFG_KEYS: usize = 128;
export const CFG_KEY_COUNT: usize = 132;
export const CFG_SEPARATOR: usize = 136;
export const CFG_QUOTE: usize = 140;
export const CFG_ESCAPE: usize = 144;
export const CFG_FLAGS: usize = 148;
export const CFG_MAX_FIELD: usize = 152;
export const CFG_DELIMITER_LENGTH: usize = 156;
export const CFG_IN_BASE: usize = 160;
export const CFG_OUT_BASE: usize = 164;
export const CFG_RAGGED: usize = 168;
export const CFG_RAGGED_END: usize = 172;
export const CFG_SCRATCH: usize = 176;
export const CFG_MAX_RECORD: usize = 184;
export const CFG_BEFORE: usize = 188;
export const CFG_BEFORE_LENGTH: usize = 192;
export const CFG_AFTER: usize = 196;
export const CFG_AFTER_LENGTH: usize = 200;
export const CFG_IDS: usize = 204;
export const CFG_ID_AT: usize = 208;

export const DELIMITER: usize = 256;
export const POWERS: usize = 512;
export const ESCAPE_TABLE: usize = 4096;

export const STATUS_INPUT_USED: u32 = 0;
export const STATUS_OUTPUT_FULL: u32 = 1;
export const STATUS_MAX_REACHED: u32 = 2;
export const STATUS_UNTERMINATED_QUOTE: u32 = 3;
export const STATUS_FIELD_TOO_LONG: u32 = 4;
export const STATUS_RECORD_TOO_LONG: u32 = 5;

export const FLAG_FILL_SHORT: u32 = 1;
export const FLAG_LIST_RAGGED: u32 = 2;
export const FLAG_DROP_CR: u32 = 4;
export const FLAG_SKIP_EMPTY: u32 = 8;
export const FLAG_FLATTEN: u32 = 16;
export const FLAG_EXACT: u32 = 32;
export const FLAG_PLAIN_NAMES: u32 = 64;

export const PIECE_OF_TEXT: u32 = 0x80000000;

export const STRIDE: usize = 65536 * 4 + 128;

export const LF: u32 = 10;
export const CR: u32 = 13;
export const QUOTE: u32 = 34;
export const BACKSLASH: u32 = 92;
