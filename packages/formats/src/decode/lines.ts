import { batchOf, type Metadata, type Slab, type SlabFields, slabBatch } from "@mqb/core/plugin";
import { detectBom, RecordSplitter, type SplitSlab } from "@mqb/kernel";
import { formatErrors } from "../errors.ts";
import { ORIGINAL_FORMAT } from "../format.ts";
import type { DecodedBatch, DecoderOptions, RecordDecoder, Stamp } from "./decoder.ts";
import { readingError } from "./faults.ts";

export const RAW_METADATA: Metadata = new Map([[ORIGINAL_FORMAT, "raw"]]);
const NOTHING = batchOf([]);

/** Records between delimiters. Empty ones are passed over; with LF, one CR before it is dropped. */
export abstract class LineDecoder implements RecordDecoder {
  readonly keepsChunks = true;
  private readonly splitter: RecordSplitter;
  private readonly source: string;
  private started: boolean;

  constructor(options: DecoderOptions) {
    const lines = options.delimiter.length === 1 && options.delimiter[0] === 10;
    this.source = options.source;
    this.started = options.offset > 0;
    this.splitter = new RecordSplitter({
      delimiter: options.delimiter,
      dropCr: lines,
      skipEmpty: true,
      dropBom: true,
      maxRecordBytes: options.maxMessageBytes,
      onOversize: options.onOversize === "skip" ? "report" : "fault",
      offset: options.offset,
    });
  }

  get offset(): number {
    return this.splitter.offset;
  }

  get pending(): number {
    return this.splitter.pending;
  }

  feed(bytes: Buffer, start = 0, end = bytes.length): void {
    if (!this.started) this.refuseUtf16(bytes, start, end);
    this.splitter.feed(bytes, start, end);
  }

  end(): void {
    this.splitter.end();
  }

  take(max: number, stamp?: Stamp): DecodedBatch | undefined {
    let slab: SplitSlab | undefined;
    try {
      slab = this.splitter.take(max);
    } catch (error) {
      throw readingError(error, this.source);
    }
    if (slab === undefined) return undefined;
    const { oversize } = slab;
    if (oversize) return { batch: NOTHING, offset: slab.offset, offsetAfter: () => slab.offset, oversize };
    return this.decode(slab, stamp);
  }

  protected abstract decode(slab: SplitSlab, stamp: Stamp | undefined): DecodedBatch;

  /** A byte-order mark alone could begin a binary record; one that a UTF-16 character follows does not. */
  private refuseUtf16(bytes: Buffer, start: number, end: number): void {
    if (end - start < 4) return;
    this.started = true;
    const bom = detectBom(bytes, start);
    const zero = bom === "utf-16le" ? bytes[start + 3] : bom === "utf-16be" ? bytes[start + 2] : undefined;
    if (zero === 0) throw formatErrors.UTF16({ source: this.source });
  }
}

/** `raw`: the record is the payload. */
export class RawDecoder extends LineDecoder {
  protected decode(slab: SplitSlab, stamp: Stamp | undefined): DecodedBatch {
    return decoded(slab, slabBatch(slabOf(slab), stampFields(slab, stamp), RAW_METADATA));
  }
}

export function decoded(slab: SplitSlab, batch: DecodedBatch["batch"]): DecodedBatch {
  return { batch, offset: slab.offset, offsetAfter: (index) => slab.offsetAfter(index) };
}

/** The payloads as they stand in the chunk. */
export function slabOf(slab: {
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly terminator: Uint8Array;
  readonly contiguous: boolean;
}): Slab {
  const { bytes, starts, ends, terminator, contiguous } = slab;
  return contiguous ? { bytes, starts, ends, terminator } : { bytes, starts, ends };
}

/** Metadata that the stamp alone gives. */
export function stampFields(
  slab: { offsetAfter(index: number): number },
  stamp: Stamp | undefined,
): SlabFields | undefined {
  if (!stamp) return undefined;
  return {
    metadata: (index) => {
      const pairs = new Map<string, string>();
      stamp(index, slab.offsetAfter(index), pairs);
      return pairs;
    },
  };
}
