import type { Arena } from "./arena.ts";
import { Carry } from "./carry.ts";
import { arenaOf, type Engine } from "./engine.ts";
import { CFG, DELIMITER, FLAG, MAX_SLOTS, RES, SLOT_STRIDE, STATUS } from "./layout.ts";
import { type SplitResult, splitBytes } from "./loops/split.ts";
import { RecordFault, type RecordReader } from "./records.ts";
import { ChunkSlab, type SplitSlab } from "./split-slab.ts";

export interface RecordSplitterOptions {
  /** What ends a record; 1 to 16 bytes, default LF. */
  readonly delimiter?: Uint8Array;
  /** Drop one CR before the delimiter; default false. */
  readonly dropCr?: boolean;
  /** Pass over records of no bytes (after `dropCr`); default false. */
  readonly skipEmpty?: boolean;
  /** Drop a UTF-8 byte-order mark at offset 0; default false. */
  readonly dropBom?: boolean;
  /** Longest record in bytes without its delimiter; default 64 MiB. Memory stays below about twice of it. */
  readonly maxRecordBytes?: number;
  /**
   * What a longer record does. `fault` (default): `take` throws a `RecordFault`. `report`: its bytes are let go as they
   * come, and a slab of count 0 with `oversize` set stands in its place.
   */
  readonly onOversize?: "fault" | "report";
  /** Absolute offset of the first byte that will be fed; default 0. */
  readonly offset?: number;
  readonly engine?: Engine;
}

const CR = 13;
const HEAD = 1024;
/** Records of this mean length and more are found sooner by `indexOf` in place than by copying to the kernel. */
const FAR = 300;
/** Input is copied into the arena in pieces of this size: they stay in the processor's cache. */
const WINDOW = 128 * 1024;
const LF = Buffer.from("\n");
const NONE = new Uint32Array(0);
const EMPTY = Buffer.alloc(0);
const BOM = Buffer.of(0xef, 0xbb, 0xbf);

/**
 * Splits bytes into records by a delimiter. Slabs are views of the chunks that were fed: nothing is copied but a record
 * that spans chunks. See `RecordReader` for how it is driven. The last record needs no delimiter behind it.
 */
export class RecordSplitter implements RecordReader<SplitSlab> {
  readonly #delimiter: Buffer;
  readonly #flags: number;
  readonly #maxRecord: number;
  readonly #reportOversize: boolean;
  readonly #arena: Arena;
  /** The beginning of a record whose end has not come yet; while skipping, what may be the beginning of a delimiter. */
  readonly #carry = new Carry();
  #chunk: Buffer | undefined;
  /** The part of the chunk that is not indexed yet. */
  #at = 0;
  #end = 0;
  /** Absolute offset of the chunk's byte 0. */
  #base = 0;
  /** Absolute offset behind everything that was fed. */
  #fed: number;
  /** Records of the chunk that were found; those before `#next` have been handed out. */
  #starts = NONE;
  #ends = NONE;
  #next = 0;
  #uneven = false;
  /** Of the records found last. */
  #meanLength = 0;
  /** A record of the chunk, at `#at`, is too long, and its delimiter stands here; otherwise -1. */
  #oversizeEnd = -1;
  /** The record that is being let go as it comes. */
  #skipped: { readonly offset: number; readonly head: Buffer } | undefined;
  #bomOpen: boolean;
  #ended = false;
  #offset: number;
  #fault: RecordFault | undefined;

  /** `arena` is for the tests, which need small ones. */
  constructor(options: RecordSplitterOptions = {}, arena: Arena = arenaOf(options.engine)) {
    const { delimiter = LF, maxRecordBytes = 64 * 1024 * 1024, offset = 0 } = options;
    if (delimiter.length < 1 || delimiter.length > 16) throw new RangeError("delimiter must have 1 to 16 bytes");
    if (!Number.isSafeInteger(maxRecordBytes) || maxRecordBytes < 1) {
      throw new RangeError(`maxRecordBytes must be a positive number of bytes, not ${maxRecordBytes}`);
    }
    this.#delimiter = Buffer.from(delimiter);
    this.#flags = (options.dropCr ? FLAG.dropCr : 0) | (options.skipEmpty ? FLAG.skipEmpty : 0);
    this.#maxRecord = maxRecordBytes;
    this.#reportOversize = options.onOversize === "report";
    this.#offset = offset;
    this.#fed = offset;
    this.#bomOpen = options.dropBom === true && offset === 0;
    this.#arena = arena;
  }

  get offset(): number {
    return this.#offset;
  }

  get pending(): number {
    return this.#carry.length + (this.#end - this.#at);
  }

  feed(bytes: Buffer, start = 0, end = bytes.length): void {
    if (this.#chunk !== undefined) throw new TypeError("feed: the chunk before is not used up; call take first");
    if (this.#ended) throw new TypeError("feed: the input has ended");
    this.#chunk = bytes;
    this.#at = start;
    this.#end = end;
    this.#base = this.#fed - start;
    this.#fed += end - start;
    const carried = this.#carry.length;
    if (carried > 0 && carried <= start) {
      this.#at -= carried;
      this.#carry.bytes.copy(bytes, this.#at);
      this.#carry.clear();
    }
  }

  end(): void {
    this.#ended = true;
  }

  take(max: number): SplitSlab | undefined {
    for (;;) {
      if (this.#fault !== undefined) throw this.#fault;
      if (this.#next < this.#starts.length) return this.#slice(Math.max(1, max));
      if (this.#bomOpen && !this.#settleBom()) return undefined;
      const chunk = this.#chunk;
      if (chunk === undefined) return this.#ended ? this.#last() : undefined;
      if (this.#oversizeEnd >= 0) {
        const end = this.#oversizeEnd;
        this.#oversizeEnd = -1;
        const start = this.#at;
        this.#at = end + this.#delimiter.length;
        return this.#oversize(this.#base + start, this.#base + end, chunk.subarray(start, end));
      }
      if (this.#skipped !== undefined || this.#carry.length > 0) {
        const slab = this.#finishCarried(chunk);
        if (slab !== undefined) return slab;
        continue;
      }
      this.#index(chunk);
      if (this.#starts.length === 0 && this.#oversizeEnd < 0) this.#keepRest(chunk);
    }
  }

  #slice(max: number): SplitSlab {
    const to = Math.min(this.#next + max, this.#starts.length);
    const starts = this.#starts.subarray(this.#next, to);
    const ends = this.#ends.subarray(this.#next, to);
    this.#next = to;
    return this.#hand(new ChunkSlab(this.#chunk!, starts, ends, this.#delimiter, this.#base, this.#uneven));
  }

  /** Finds records in the chunk from `#at` on: as many as the slots hold, none only when there is no whole one left. */
  #index(chunk: Buffer): void {
    const { layout, words, simd } = this.#arena;
    const kernel = simd && this.#meanLength < FAR;
    const start = this.#at;
    this.#uneven = false;
    let count = 0;
    while (this.#at < this.#end && count < MAX_SLOTS && this.#oversizeEnd < 0) {
      const from = this.#at;
      const size = kernel ? Math.min(this.#end - from, WINDOW, layout.inputSize) : this.#end - from;
      count += kernel ? this.#runLoop(chunk, size, count) : this.#scan(chunk, count, MAX_SLOTS);
      if (this.#at > from || this.#oversizeEnd >= 0) continue;
      if (from + size >= this.#end) break;
      // A record longer than the window: one by one until it is behind.
      count += this.#scan(chunk, count, count + 1);
      if (this.#at === from) break;
    }
    if (count > 0) this.#meanLength = (this.#at - start) / count;
    const slots = layout.slots / 4;
    this.#next = 0;
    this.#starts = words.slice(slots, slots + count);
    this.#ends = words.slice(slots + SLOT_STRIDE / 4, slots + SLOT_STRIDE / 4 + count);
  }

  /** The kernel over the next `size` bytes of the chunk. */
  #runLoop(chunk: Buffer, size: number, count: number): number {
    const { memory, words, layout, loops } = this.#arena;
    const { slots } = layout;
    const isInside = chunk.buffer === memory.buffer;
    const input = isInside ? chunk.byteOffset + this.#at : layout.input;
    this.#arena.owner = undefined;
    this.#delimiter.copy(memory, DELIMITER);
    words[CFG.delimiterLength] = this.#delimiter.length;
    words[CFG.flags] = this.#flags;
    words[CFG.maxRecord] = Math.min(this.#maxRecord, 0xffff_ffff);
    words[CFG.inBase] = input - this.#at;
    if (!isInside) chunk.copy(memory, input, this.#at, this.#at + size);
    const found = loops.split(input, input + size, slots + count * 4, MAX_SLOTS - count);
    if (words[RES.status] === STATUS.recordTooLong) this.#oversizeEnd = this.#at + words[RES.fault]!;
    this.#at += words[RES.consumed]!;
    if (words[RES.short] !== 0) this.#uneven = true;
    return found;
  }

  /** The JavaScript loop over the chunk itself, into the arena's slots from `count` up to `limit`. */
  #scan(chunk: Buffer, count: number, limit: number): number {
    const { words, layout } = this.#arena;
    this.#arena.owner = undefined;
    const slots = layout.slots / 4;
    const result: SplitResult = {
      starts: words.subarray(slots + count, slots + limit),
      ends: words.subarray(slots + SLOT_STRIDE / 4 + count, slots + SLOT_STRIDE / 4 + limit),
      count: 0,
      consumed: 0,
      uneven: false,
      oversize: -1,
    };
    splitBytes(chunk, this.#at, this.#end, this.#delimiter, this.#flags, this.#maxRecord, limit - count, result);
    this.#at = result.consumed;
    this.#oversizeEnd = result.oversize;
    if (result.uneven) this.#uneven = true;
    return result.count;
  }

  /** Looks for the end of the record in hand. `undefined` when it did not come, or the record was empty. */
  #finishCarried(chunk: Buffer): SplitSlab | undefined {
    const size = this.#delimiter.length;
    const carried = this.#carry.length;
    const found = this.#findDelimiter(chunk);
    if (found === undefined) {
      this.#keepRest(chunk);
      return undefined;
    }
    const from = this.#at;
    const start = this.#base + from - carried;
    const end = this.#base + found;
    this.#at = found + size;
    if (this.#skipped !== undefined) {
      this.#carry.clear();
      return this.#reportSkipped(end);
    }
    if (end - start > this.#maxRecord) {
      const head = Buffer.concat([
        this.#carry.bytes.subarray(0, HEAD),
        chunk.subarray(from, Math.min(from + HEAD, found)),
      ]);
      this.#carry.clear();
      return this.#oversize(start, end, head);
    }
    this.#carry.append(chunk, from, this.#at);
    return this.#single(this.#carry.release(), size, start);
  }

  /** Where in the chunk's coordinates the next delimiter stands; it may begin in the carried bytes, before `#at`. */
  #findDelimiter(chunk: Buffer): number | undefined {
    const size = this.#delimiter.length;
    const tail = this.#carry.bytes.subarray(Math.max(0, this.#carry.length - size + 1));
    if (tail.length > 0) {
      const across = Buffer.concat([tail, chunk.subarray(this.#at, Math.min(this.#at + size - 1, this.#end))]);
      const found = across.indexOf(this.#delimiter);
      if (found >= 0) return this.#at - tail.length + found;
    }
    const found = chunk.subarray(this.#at, this.#end).indexOf(this.#delimiter);
    return found < 0 ? undefined : this.#at + found;
  }

  /** Carries over what is left of the chunk, or lets it go when its record is longer than allowed. */
  #keepRest(chunk: Buffer): void {
    if (this.#skipped === undefined) {
      this.#carry.append(chunk, this.#at, this.#end, this.#maxRecord);
      // What may be the beginning of a delimiter does not count yet.
      if (this.#carry.length - (this.#delimiter.length - 1) > this.#maxRecord) this.#beginSkip();
    } else {
      this.#carry.append(chunk, Math.max(this.#at, this.#end - this.#delimiter.length + 1), this.#end);
    }
    if (this.#skipped !== undefined) this.#carry.drop(Math.max(0, this.#carry.length - this.#delimiter.length + 1));
    this.#chunk = undefined;
    this.#at = 0;
    this.#end = 0;
  }

  #beginSkip(): void {
    const offset = this.#fed - this.#carry.length;
    if (this.#reportOversize) this.#skipped = { offset, head: Buffer.from(this.#carry.bytes.subarray(0, HEAD)) };
    else this.#fault = new RecordFault("record_too_long", { offset, limit: this.#maxRecord });
  }

  /** After the end of the input: the record without a delimiter, if there is one. */
  #last(): SplitSlab | undefined {
    if (this.#skipped !== undefined) return this.#reportSkipped(this.#fed);
    const size = this.#carry.length;
    if (size === 0) return undefined;
    const start = this.#fed - size;
    if (size > this.#maxRecord) return this.#oversize(start, this.#fed, this.#carry.release());
    return this.#single(this.#carry.release(), 0, start);
  }

  /** A slab of one record, `delimiter` bytes before the end of `bytes`; `undefined` when it is empty and passed over. */
  #single(bytes: Buffer, delimiter: number, offset: number): SplitSlab | undefined {
    let end = bytes.length - delimiter;
    if ((this.#flags & FLAG.dropCr) !== 0 && end > 0 && bytes[end - 1] === CR) end--;
    if (end === 0 && (this.#flags & FLAG.skipEmpty) !== 0) return undefined;
    const after = offset + bytes.length;
    return this.#hand(
      new ChunkSlab(bytes, Uint32Array.of(0), Uint32Array.of(end), this.#delimiter, offset, true, after),
    );
  }

  #reportSkipped(end: number): SplitSlab {
    const { offset, head } = this.#skipped!;
    this.#skipped = undefined;
    this.#carry.clear();
    return this.#oversize(offset, end, head);
  }

  #oversize(offset: number, end: number, bytes: Buffer): SplitSlab {
    if (!this.#reportOversize) {
      this.#fault = new RecordFault("record_too_long", { offset, limit: this.#maxRecord });
      throw this.#fault;
    }
    const after = Math.min(end + this.#delimiter.length, this.#fed);
    return this.#hand(
      new ChunkSlab(EMPTY, NONE, NONE, this.#delimiter, offset, true, after, {
        offset,
        size: end - offset,
        // What was kept may end with the beginning of the delimiter.
        head: Buffer.from(bytes.subarray(0, Math.min(HEAD, end - offset))),
      }),
    );
  }

  #hand(slab: SplitSlab): SplitSlab {
    this.#offset = slab.offset;
    return slab;
  }

  /** Whether it is known that there is no byte-order mark any more. */
  #settleBom(): boolean {
    if (this.#carry.length > 0 && (this.#chunk !== undefined || this.#ended)) {
      const rest = this.#chunk?.subarray(this.#at, this.#end) ?? EMPTY;
      const joined = Buffer.concat([this.#carry.bytes, rest]);
      this.#carry.clear();
      this.#chunk = joined;
      this.#at = 0;
      this.#end = joined.length;
      this.#base = this.#fed - joined.length;
    }
    if (this.#chunk === undefined) return this.#ended;
    const bytes = this.#chunk.subarray(this.#at, this.#end);
    if (bytes.length < BOM.length && !this.#ended && BOM.subarray(0, bytes.length).equals(bytes)) {
      this.#carry.append(bytes, 0, bytes.length);
      this.#chunk = undefined;
      return false;
    }
    this.#bomOpen = false;
    if (bytes.subarray(0, BOM.length).equals(BOM)) {
      this.#at += BOM.length;
      this.#offset += BOM.length;
    }
    return true;
  }
}
