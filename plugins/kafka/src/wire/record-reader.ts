import { GrowingBuffer } from "@mqb/formats";
import { ChunkBuilder, type RecordChunk } from "./chunk.ts";
import type { Codecs } from "./codecs.ts";
import { BATCH_HEADER, CONTROL, isIntact, TRANSACTIONAL } from "./record-batch.ts";

export interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: number;
}

export interface ReadOptions {
  readonly codecs: Codecs;
  /** Looks at the checksum of each batch. */
  readonly checks: boolean;
  /** Transactions whose records are not to be read; empty where all are. */
  readonly aborted: readonly AbortedTransaction[];
}

/** A batch that cannot be read. */
export class DamagedBatch extends Error {
  readonly offset: number;

  constructor(offset: number, reason: string, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.name = "DamagedBatch";
    this.offset = offset;
  }
}

/** A batch whose records are wanted, and where they lie. */
interface Section {
  readonly baseOffset: number;
  readonly count: number;
  readonly start: number;
  readonly end: number;
}

const CODEC_BITS = 7;

/**
 * The records of one partition in an answer to a fetch, from the offset that was asked for on: a batch comes as a whole, and what
 * lies before is left out; so is a batch at the end that is cut off. Undefined where there is not a whole batch.
 * Throws a `DamagedBatch`.
 */
export async function readRecords(
  bytes: Buffer,
  start: number,
  end: number,
  from: number,
  options: ReadOptions,
): Promise<RecordChunk | undefined> {
  const skipped = new AbortedFilter(options.aborted);
  const sections: Section[] = [];
  let unfolded: GrowingBuffer | undefined;
  let next = -1;
  let total = 0;
  for (let at = start; at + BATCH_HEADER <= end; ) {
    const batchEnd = at + 12 + bytes.readInt32BE(at + 8);
    const baseOffset = readOffset(bytes, at);
    if (bytes[at + 16] !== 2)
      throw new DamagedBatch(baseOffset, `it has the format ${bytes[at + 16]}, of before Kafka 0.11`);
    if (batchEnd > end || batchEnd < at + BATCH_HEADER) break;
    if (options.checks && !isIntact(bytes, at)) throw new DamagedBatch(baseOffset, "its checksum is wrong");
    const attributes = bytes.readInt16BE(at + 21);
    const count = bytes.readInt32BE(at + 57);
    next = baseOffset + bytes.readInt32BE(at + 23) + 1;
    if (next > from && skipped.takes(bytes, at, baseOffset, attributes)) {
      const codec = attributes & CODEC_BITS;
      let section: Section = { baseOffset, count, start: at + BATCH_HEADER, end: batchEnd };
      if (codec !== 0 || unfolded) {
        if (!unfolded) {
          // Everything lies in one buffer in the end: what came unpacked before moves there.
          unfolded = new GrowingBuffer(4 * (end - at));
          for (const [i, before] of sections.entries()) sections[i] = moved(before, bytes, unfolded);
        }
        section =
          codec === 0 ? moved(section, bytes, unfolded) : await unfold(section, codec, bytes, unfolded, options);
      }
      sections.push(section);
      total += count;
    }
    at = batchEnd;
  }
  if (next < 0) return undefined;
  const records = unfolded?.written() ?? bytes;
  const builder = new ChunkBuilder(total);
  for (const section of sections) readSection(records, section, from, builder);
  return builder.build(records, unfolded ? records.length : end - start, next);
}

function moved(section: Section, bytes: Buffer, out: GrowingBuffer): Section {
  const start = out.length;
  out.append(bytes.subarray(section.start, section.end));
  return { ...section, start, end: out.length };
}

async function unfold(
  section: Section,
  codec: number,
  bytes: Buffer,
  out: GrowingBuffer,
  { codecs }: ReadOptions,
): Promise<Section> {
  const start = out.length;
  try {
    (codecs.get(codec) ?? (await codecs.load(codec))).decompress(bytes, section.start, section.end, out);
  } catch (cause) {
    if (cause instanceof RangeError || (cause as { kind?: unknown }).kind === "permanent")
      throw new DamagedBatch(section.baseOffset, (cause as Error).message, cause);
    throw cause;
  }
  return { ...section, start, end: out.length };
}

function readSection(
  bytes: Buffer,
  { baseOffset, count, start, end }: Section,
  from: number,
  into: ChunkBuilder,
): void {
  const cursor = new Cursor(bytes, start);
  for (let i = 0; i < count; i++) {
    const size = cursor.varint();
    const recordEnd = cursor.at + size;
    if (size < 0 || recordEnd > end) throw new DamagedBatch(baseOffset, `record ${i} is cut off`);
    cursor.at += 1;
    cursor.skipVarint();
    const offset = baseOffset + cursor.varint();
    const keySize = cursor.varint();
    const key = keySize < 0 ? -1 : cursor.at;
    if (keySize > 0) cursor.at += keySize;
    const keyEnd = cursor.at;
    const valueSize = cursor.varint();
    const value = cursor.at;
    if (valueSize > 0) cursor.at += valueSize;
    if (cursor.at > recordEnd) throw new DamagedBatch(baseOffset, `record ${i} has parts that are longer than it is`);
    if (offset >= from) into.add(offset, key, keyEnd, value, valueSize, cursor.at);
    cursor.at = recordEnd;
  }
}

/** Reads numbers as records hold them. */
export class Cursor {
  readonly bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  /** A number of 32 bits in zigzag. */
  varint(): number {
    const { bytes } = this;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[this.at++]!;
      value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    return (value >>> 1) ^ -(value & 1);
  }

  skipVarint(): void {
    while (this.bytes[this.at++]! > 127);
  }
}

/** Leaves out markers, and the records of transactions that were aborted. */
class AbortedFilter {
  private readonly waiting: AbortedTransaction[];
  private readonly open = new Set<bigint>();

  constructor(aborted: readonly AbortedTransaction[]) {
    this.waiting = [...aborted].sort((a, b) => a.firstOffset - b.firstOffset);
  }

  takes(bytes: Buffer, at: number, baseOffset: number, attributes: number): boolean {
    const isControl = (attributes & CONTROL) !== 0;
    if ((attributes & TRANSACTIONAL) === 0) return !isControl;
    while (this.waiting.length > 0 && this.waiting[0]!.firstOffset <= baseOffset)
      this.open.add(this.waiting.shift()!.producerId);
    if (this.open.size === 0) return !isControl;
    const producer = bytes.readBigInt64BE(at + 43);
    if (!isControl) return !this.open.has(producer);
    // A marker ends the transaction of its producer, whichever kind it is.
    this.open.delete(producer);
    return false;
  }
}

export function readOffset(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 0x1_0000_0000 + bytes.readUInt32BE(at + 4);
}
