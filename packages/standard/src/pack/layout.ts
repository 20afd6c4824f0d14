/**
 * The frame `mqb`: magic, version and flags in two bytes each with the lowest first, then a count and that many records. A
 * record is the id (16 bytes, the lowest first; with `HAS_IDS`), the payload behind its length, and (with `HAS_METADATA`)
 * the number of pairs and each key and value behind its length. Counts and lengths are LEB128.
 */
export const MAGIC = Buffer.from("MQB1");
export const VERSION = 1;
export const HEADER_BYTES = 8;
export const ID_BYTES = 16;
/** Some record of the frame has metadata. */
export const HAS_METADATA = 1;
export const HAS_IDS = 2;
