import type { Payloads } from "../../encode/payloads.ts";
import type { GrowingBuffer } from "../growing-buffer.ts";
import { CODE_MASK, type HuffmanTable, huffmanTable, LENGTH_AT } from "./huffman-table.ts";
import { LEAST_MATCH, SequenceWriter } from "./sequences.ts";

/** Longer payloads are not for this encoder: a general one makes them shorter, and takes little longer. */
export const SHORT_MAX = 511;

/** Of a large batch every so many payloads are looked at. */
const SAMPLED_FROM = 256;
const SAMPLE_STEP = 4;

/** What is known of the short payloads of a batch, which resemble each other. */
export interface Survey {
  /** One code for the literals of all of them, or of most; undefined where there is none. */
  readonly table: HuffmanTable | undefined;
  /** Bytes in which repetitions were looked for, and those that were found to repeat others. */
  looked: number;
  found: number;
}

/** Where less than one byte of so many repeats others, it is not worth the time to look for more. */
const FOUND_LEAST = 32;
const LOOKED_LEAST = 8 * 1024;

export function surveyOf({ bytes, starts, ends, count }: Payloads): Survey {
  const counts = new Uint32Array(256);
  for (let i = 0; i < count; i += count > SAMPLED_FROM ? SAMPLE_STEP : 1) {
    const end = ends[i]!;
    if (end - starts[i]! > SHORT_MAX) continue;
    for (let at = starts[i]!; at < end; at++) counts[bytes[at]!]! += 1;
  }
  return { table: huffmanTable(counts), looked: 0, found: 0 };
}

const HASH_LOG = 12;
const HASH_FACTOR = 0x9e3779b1;
const MAGIC = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd);
const BLOCK_HEADER = 3;
const CODED_HEADER = 3;
/** More than a description and what surrounds it take. */
const AROUND_MAX = 256;
const RAW = 0;
const COMPRESSED = 2;

/**
 * Writes short payloads as zstd frames. A general encoder prepares tables of many kilobytes for each frame, which takes
 * longer than a short payload does; this one has a single Huffman code for the payloads of a batch, which resemble each
 * other, and looks for repetitions without clearing anything between payloads.
 */
export class ShortZstdEncoder {
  /** Where a hash was seen last; what lies outside of the present payload counts for nothing. */
  private readonly seen = new Int32Array(1 << HASH_LOG).fill(-1);
  private readonly literals = new Uint8Array(SHORT_MAX);
  private readonly sequences = new SequenceWriter();

  /** Appends `bytes[start..end)`, one of the payloads of the survey, as a frame. */
  compress(bytes: Buffer, start: number, end: number, survey: Survey, out: GrowingBuffer): void {
    const size = end - start;
    // Whatever is longer than the payload is not taken.
    out.reserve(2 * size + AROUND_MAX);
    const into = out.bytes;
    const block = this.frameHeader(size, into, out.length);
    const content = block + BLOCK_HEADER;
    const written = size > LEAST_MATCH ? this.compressed(bytes, start, end, survey, into, content) - content : size;
    const isShorter = written < size;
    if (!isShorter) bytes.copy(into, content, start, end);
    const length = isShorter ? written : size;
    // The last block.
    const header = 1 | ((isShorter ? COMPRESSED : RAW) << 1) | (length << 3);
    into[block] = header & 255;
    into[block + 1] = (header >> 8) & 255;
    into[block + 2] = header >> 16;
    out.length = content + length;
  }

  /** A frame of one segment that says its size, without a checksum. */
  private frameHeader(size: number, into: Buffer, at: number): number {
    for (let i = 0; i < MAGIC.length; i++) into[at + i] = MAGIC[i]!;
    if (size < 256) {
      into[at + 4] = 0x20;
      into[at + 5] = size;
      return at + 6;
    }
    into[at + 4] = 0x60;
    into[at + 5] = (size - 256) & 255;
    into[at + 6] = (size - 256) >> 8;
    return at + 7;
  }

  /** Returns the end of the block, which may be longer than the payload. */
  private compressed(bytes: Buffer, start: number, end: number, survey: Survey, into: Buffer, at: number): number {
    const { sequences } = this;
    const { table } = survey;
    sequences.clear();
    let count = 0;
    if (survey.looked < LOOKED_LEAST || survey.found * FOUND_LEAST >= survey.looked) {
      count = this.findMatches(bytes, start, end);
      survey.looked += end - start;
      if (sequences.count > 0) survey.found += end - start - count;
    }
    const behind =
      sequences.count === 0
        ? writeLiterals(bytes, start, end, table, into, at)
        : writeLiterals(this.literals, 0, count, table, into, at);
    return sequences.write(into, behind);
  }

  /**
   * Divides the payload into repetitions and literals, which are gathered where there are both. Returns how many literals
   * were gathered.
   */
  private findMatches(bytes: Buffer, start: number, end: number): number {
    const { seen, literals, sequences } = this;
    const last = end - LEAST_MATCH;
    let count = 0;
    let anchor = start;
    let at = start;
    while (at <= last) {
      const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
      const hash = Math.imul(word, HASH_FACTOR) >>> (32 - HASH_LOG);
      let match = seen[hash]!;
      seen[hash] = at;
      let length = 0;
      if (match >= start && match < at) {
        while (at + length < end && bytes[match + length] === bytes[at + length]) length++;
      }
      if (length < LEAST_MATCH) {
        // The longer nothing is found, the less is looked for.
        at += 1 + ((at - anchor) >> 6);
        continue;
      }
      while (at > anchor && match > start && bytes[match - 1] === bytes[at - 1]) {
        at--;
        match--;
        length++;
      }
      sequences.add(at - anchor, length, at - match);
      while (anchor < at) literals[count++] = bytes[anchor++]!;
      at += length;
      anchor = at;
    }
    // Without any repetition the payload itself is what is written.
    if (sequences.count > 0) while (anchor < end) literals[count++] = bytes[anchor++]!;
    return count;
  }
}

/** Writes `literals[from..to)`. Returns the end. */
function writeLiterals(
  literals: Uint8Array,
  from: number,
  to: number,
  table: HuffmanTable | undefined,
  into: Buffer,
  start: number,
): number {
  const coded = table ? writeCoded(literals, from, to, table, into, start) : 0;
  if (coded > 0) return coded;
  const count = to - from;
  let at = start;
  if (count < 32) into[at++] = RAW | (count << 3);
  else {
    into[at++] = RAW | (1 << 2) | ((count << 4) & 255);
    into[at++] = count >> 4;
  }
  for (let i = from; i < to; i++) into[at++] = literals[i]!;
  return at;
}

/** Returns the end of the literals as one stream of codes; 0 = that is not shorter, or one of them has no code. */
function writeCoded(
  literals: Uint8Array,
  from: number,
  to: number,
  table: HuffmanTable,
  into: Buffer,
  start: number,
): number {
  const { codes, description } = table;
  const content = start + CODED_HEADER;
  let at = content;
  for (let i = 0; i < description.length; i++) into[at++] = description[i]!;
  let held = 0;
  let length = 0;
  for (let i = to - 1; i >= from; i--) {
    const code = codes[literals[i]!]!;
    if (code === 0) return 0;
    held |= (code & CODE_MASK) << length;
    length += code >> LENGTH_AT;
    if (length >= 16) {
      into[at] = held & 255;
      into[at + 1] = (held >> 8) & 255;
      at += 2;
      held >>>= 16;
      length -= 16;
    }
  }
  held |= 1 << length;
  for (length++; length > 0; length -= 8) {
    into[at++] = held & 255;
    held >>>= 8;
  }
  const count = to - from;
  const size = at - content;
  if (size + CODED_HEADER >= count) return 0;
  // Both sizes have 10 bits.
  const header = COMPRESSED | (count << 4) | (size << 14);
  into[start] = header & 255;
  into[start + 1] = (header >> 8) & 255;
  into[start + 2] = (header >> 16) & 255;
  return at;
}
