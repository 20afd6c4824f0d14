import type { CodecName } from "../config.ts";

/** Compresses what one batch writes. */
export interface Compressor {
  /**
   * The bytes as one or more complete members, to be appended in order. Large input may become several members, so
   * that they can be made in parallel; readers see one stream either way.
   */
  compress(bytes: Uint8Array): Promise<readonly Uint8Array[]>;
}

/**
 * Turns a compressed stream back, any number of concatenated members, in pieces of bounded size. Drive it so: `push` a
 * chunk, `pull` until it answers `undefined`, `push` the next or `finish`. They throw `permanent` errors that name
 * the offset in the compressed stream.
 */
export interface Decompressor {
  push(bytes: Buffer): void;
  /** The next decoded bytes, which belong to the caller; `undefined` when more input is needed. */
  pull(): Promise<Buffer | undefined>;
  /** No more input comes. `pull` until `undefined` once more; either throws when a member is incomplete. */
  finish(): void;
  /** Frees what is held. Idempotent. */
  close(): void;
}

/** A decompressor that does not wait for anything. */
export interface SyncDecompressor extends Decompressor {
  /** As `pull`, at once. */
  next(): Buffer | undefined;
}

export const CODEC_SUFFIX: Readonly<Record<CodecName, string>> = { gzip: ".gz", lz4: ".lz4", zstd: ".zst" };

/** The codec whose magic bytes a stream begins with; needs 4 bytes. */
export function sniffCodec(head: Uint8Array): CodecName | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b && head[2] === 8) return "gzip";
  if (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) return "zstd";
  if (head[0] === 0x04 && head[1] === 0x22 && head[2] === 0x4d && head[3] === 0x18) return "lz4";
  return undefined;
}

/**
 * Input of one member at most. What a reader has to unfold at once stays small, and the memory of a WebAssembly module
 * only ever grows.
 */
export const MEMBER_MAX = 1024 * 1024;

/** The input cut into pieces for members; one empty piece for empty input. */
export function memberPieces(bytes: Uint8Array): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += MEMBER_MAX) {
    const length = Math.min(MEMBER_MAX, bytes.length - at);
    pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset + at, length));
  }
  return pieces;
}

/** How many bytes of a stream `sniffCodec` and `looksSealed` want to see. */
export const SNIFF_BYTES = 64;

/**
 * Whether a file looks like one of encrypted frames: an 8-byte length that fits the file, then version, cipher and the
 * length of a printable key id.
 */
export function looksSealed(head: Uint8Array, fileSize: number): boolean {
  if (head.length < 12) return false;
  const view = Buffer.from(head.buffer, head.byteOffset, head.length);
  if (view.readUInt32BE(0) !== 0) return false;
  const length = view.readUInt32BE(4);
  const [version, cipher, keyIdLength] = [view[8]!, view[9]!, view[10]!];
  if ((version !== 1 && version !== 2) || cipher > 1 || keyIdLength === 0) return false;
  const nonce = cipher === 0 ? 24 : 12;
  if (length < 3 + keyIdLength + nonce + 16 || length + 8 > fileSize) return false;
  return view.subarray(11, 11 + keyIdLength).every((byte) => byte >= 32 && byte < 127);
}
