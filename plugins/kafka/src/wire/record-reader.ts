import { GrowingBuffer } from "@mqb/formats";
import { ChunkBuilder, type RecordChunk } from "./chunk.ts";
import { type Codecs, MOST_UNPACKED } from "./codecs.ts";
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
  /** What one batch may unfold to [1 GiB]. */
  readonly maxUnpackedBytes?: number;
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
  readonly codec: number;
  readonly baseOffset: number;
  readonly count: number;
  readonly start: number;
  readonly end: number;
  /** The offset behind it. */
  readonly next: number;
}

const CODEC_BITS = 7;
/** A record of nothing: its length and six fields, a byte each. */
const LEAST_RECORD = 7;
/** Bytes that are unpacked at once, if one batch has not more. */
const UNPACKED_AT_ONCE = 512 * 1024;

/**
 * The batches of one partition in an answer to a fetch, as they came: what is packed is unpacked when it is asked for, so that
 * what waits takes no more memory than it took to send.
 */
export class FetchedRecords {
  /** Bytes that it keeps in memory. */
  readonly size: number;
  /** The offset behind all of it, records that are left out (markers, aborted ones) included. */
  readonly next: number;
  private readonly bytes: Buffer;
  private readonly sections: readonly Section[];
  private readonly from: number;
  private readonly codecs: Codecs;
  private readonly maxUnpackedBytes: number;
  private at = 0;

  private constructor(
    bytes: Buffer,
    size: number,
    from: number,
    next: number,
    sections: readonly Section[],
    { codecs, maxUnpackedBytes = MOST_UNPACKED }: ReadOptions,
  ) {
    this.bytes = bytes;
    this.size = size;
    this.from = from;
    this.next = next;
    this.sections = sections;
    this.codecs = codecs;
    this.maxUnpackedBytes = maxUnpackedBytes;
  }

  /**
   * The batches from the offset that was asked for on; one at the end that is cut off is left out. Undefined where there is not
   * a whole batch. Loads the codecs. Throws a `DamagedBatch`.
   */
  static async scan(
    bytes: Buffer,
    start: number,
    end: number,
    from: number,
    options: ReadOptions,
  ): Promise<FetchedRecords | undefined> {
    const { codecs } = options;
    const filter = new AbortedFilter(options.aborted);
    const sections: Section[] = [];
    let next = -1;
    for (let at = start; at + BATCH_HEADER <= end; ) {
      const batchEnd = at + 12 + bytes.readInt32BE(at + 8);
      const baseOffset = readOffset(bytes, at);
      if (bytes[at + 16] !== 2)
        throw new DamagedBatch(baseOffset, `it has the format ${bytes[at + 16]}, of before Kafka 0.11`);
      if (batchEnd > end || batchEnd < at + BATCH_HEADER) break;
      if (options.checks && !isIntact(bytes, at)) throw new DamagedBatch(baseOffset, "its checksum is wrong");
      const attributes = bytes.readInt16BE(at + 21);
      next = baseOffset + bytes.readInt32BE(at + 23) + 1;
      const count = bytes.readInt32BE(at + 57);
      if (count > next - baseOffset)
        throw new DamagedBatch(baseOffset, `it has ${count} records for ${next - baseOffset} offsets`);
      if (next > from && filter.takes(bytes, at, baseOffset, attributes) && count > 0) {
        const codec = attributes & CODEC_BITS;
        if (codec !== 0 && !codecs.get(codec)) await load(codecs, codec, baseOffset);
        sections.push({ codec, baseOffset, count, start: at + BATCH_HEADER, end: batchEnd, next });
      }
      at = batchEnd;
    }
    return next < 0 ? undefined : new FetchedRecords(bytes, end - start, from, next, sections, options);
  }

  get isEmpty(): boolean {
    return this.at >= this.sections.length;
  }

  /** The next records, as many as are worth a batch. There are some. Throws a `DamagedBatch`. */
  read(): RecordChunk {
    const { sections } = this;
    const isPacked = sections[this.at]!.codec !== 0;
    const unpacked = isPacked ? new GrowingBuffer(UNPACKED_AT_ONCE) : undefined;
    const places: Section[] = [];
    let count = 0;
    for (; this.at < sections.length; this.at++) {
      const section = sections[this.at]!;
      const isFull = unpacked !== undefined && unpacked.length >= UNPACKED_AT_ONCE;
      if ((section.codec !== 0) !== isPacked || isFull) break;
      const place = unpacked ? this.unpack(section, unpacked) : section;
      if (section.count * LEAST_RECORD > place.end - place.start)
        throw new DamagedBatch(section.baseOffset, `its bytes are too few for ${section.count} records`);
      places.push(place);
      count += section.count;
    }
    const bytes = unpacked?.written() ?? this.bytes;
    const builder = new ChunkBuilder(count);
    for (const place of places) readSection(bytes, place, this.from, builder);
    return builder.build(bytes, this.isEmpty ? this.next : places.at(-1)!.next);
  }

  private unpack(section: Section, into: GrowingBuffer): Section {
    const start = into.length;
    try {
      this.codecs.get(section.codec)!.decompress(this.bytes, section.start, section.end, into, this.maxUnpackedBytes);
    } catch (cause) {
      throw new DamagedBatch(section.baseOffset, (cause as Error).message, cause);
    }
    return { ...section, start, end: into.length };
  }
}

async function load(codecs: Codecs, codec: number, offset: number): Promise<void> {
  try {
    await codecs.load(codec);
  } catch (cause) {
    if (cause instanceof RangeError) throw new DamagedBatch(offset, cause.message, cause);
    throw cause;
  }
}

function readSection(
  bytes: Buffer,
  { baseOffset, count, start, end, next }: Section,
  from: number,
  into: ChunkBuilder,
): void {
  const cursor = new Cursor(bytes, start);
  let before = baseOffset - 1;
  for (let i = 0; i < count; i++) {
    const size = cursor.varint();
    const recordEnd = cursor.at + size;
    if (size < 0 || recordEnd > end) throw new DamagedBatch(baseOffset, `record ${i} is cut off`);
    cursor.at += 1;
    cursor.skipVarint();
    const offset = baseOffset + cursor.varint();
    // Positions are made of them: one that jumps ahead would lose what is there.
    if (offset <= before || offset >= next) throw new DamagedBatch(baseOffset, `record ${i} has the offset ${offset}`);
    before = offset;
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
