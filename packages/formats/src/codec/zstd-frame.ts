/** What a zstd frame header says; see RFC 8878, 3.1.1. */
export interface ZstdHeader {
  /** Bytes of the header, magic included. */
  readonly size: number;
  readonly windowSize: number;
  /** Undefined when the frame does not say. */
  readonly contentSize: number | undefined;
  readonly hasChecksum: boolean;
  readonly dictionary: boolean;
}

export const ZSTD_MAGIC = 0xfd2fb528;
/** Header bytes that are always enough to read it. */
export const ZSTD_HEADER_MAX = 18;
export const ZSTD_BLOCK_MAX = 128 * 1024;

const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const CONTENT_BYTES = [0, 2, 4, 8] as const;

/** Reads the header at the start of `bytes`; undefined while more bytes are needed. */
export function readZstdHeader(bytes: Buffer): ZstdHeader | undefined {
  if (bytes.length < 5) return undefined;
  const descriptor = bytes[4]!;
  const single = (descriptor & 0x20) !== 0;
  const dictionaryBytes = DICTIONARY_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3];
  const contentBytes = CONTENT_BYTES[(descriptor >> 6) as 0 | 1 | 2 | 3] || (single ? 1 : 0);
  const size = 5 + (single ? 0 : 1) + dictionaryBytes + contentBytes;
  if (bytes.length < size) return undefined;
  let contentSize: number | undefined;
  if (contentBytes > 0) {
    contentSize = Number(readLittleEndian(bytes, size - contentBytes, contentBytes)) + (contentBytes === 2 ? 256 : 0);
  }
  const dictionary = dictionaryBytes > 0 && readLittleEndian(bytes, 5 + (single ? 0 : 1), dictionaryBytes) !== 0n;
  return {
    size,
    windowSize: single ? contentSize! : windowOf(bytes[5]!),
    contentSize,
    hasChecksum: (descriptor & 4) !== 0,
    dictionary,
  };
}

/** A block header: its length with the header, what it unfolds to at most, whether it is the last. */
export function readZstdBlock(bytes: Buffer): { size: number; unfolds: number; last: boolean; valid: boolean } {
  const header = bytes[0]! | (bytes[1]! << 8) | (bytes[2]! << 16);
  const type = (header >> 1) & 3;
  const size = header >> 3;
  return {
    size: 3 + (type === 1 ? 1 : size),
    unfolds: type === 2 ? ZSTD_BLOCK_MAX : size,
    last: (header & 1) === 1,
    valid: type !== 3 && size <= ZSTD_BLOCK_MAX,
  };
}

function windowOf(byte: number): number {
  const base = 2 ** (10 + (byte >> 3));
  return base + (base / 8) * (byte & 7);
}

function readLittleEndian(bytes: Buffer, at: number, count: number): bigint {
  let value = 0n;
  for (let i = count - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[at + i]!);
  return value;
}
