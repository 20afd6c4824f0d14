import type { MessageBatch, Slab } from "@mqb/core/plugin";
import { joinRanges } from "@mqb/kernel";
import { cutsElsewhere, describeDelimiter } from "../delimiter.ts";
import { formatErrors } from "../errors.ts";
import { type EncodedBatch, NONE_REFUSED, type RecordEncoder, type Refused } from "./encoder.ts";
import { OutputPool } from "./output-pool.ts";

/** With more runs than this, or shorter ones, one copy costs less than many pieces. */
const MAX_RUNS = 256;
const MIN_RUN_BYTES = 4096;

/** `raw`: payloads as they are. A slab whose records end in the delimiter already is written without a look at it. */
export class RawEncoder implements RecordEncoder {
  private readonly delimiter: Buffer;
  private readonly pool = new OutputPool();

  constructor(delimiter: Uint8Array) {
    this.delimiter = Buffer.from(delimiter);
  }

  encode(batch: MessageBatch): EncodedBatch {
    if (batch.length === 0) return { chunks: [], refused: NONE_REFUSED };
    const { slab } = batch;
    const runs =
      slab?.terminator && this.delimiter.equals(slab.terminator) ? runsOf(slab, this.delimiter.length) : undefined;
    if (runs) return { chunks: runs, refused: NONE_REFUSED };
    const refused = this.delimiter.length > 1 ? this.cutElsewhere(batch) : NONE_REFUSED;
    if (refused.length === 0) return { chunks: [this.copy(batch)], refused };
    if (refused.length === batch.length) return { chunks: [], refused };
    const out = new Set(refused.map(({ index }) => index));
    const kept = Uint32Array.from({ length: batch.length }, (_, index) => index).filter((index) => !out.has(index));
    return { chunks: [this.copy(batch.select(kept))], refused };
  }

  /**
   * Payloads that would come back as others. A delimiter of one byte is not looked for, as in the original: a payload of
   * several lines is several records.
   */
  private cutElsewhere(batch: MessageBatch): Refused[] {
    const refused: Refused[] = [];
    for (let index = 0; index < batch.length; index++) {
      if (!cutsElsewhere(batch.payload(index), this.delimiter)) continue;
      refused.push({
        index,
        error: formatErrors.DELIMITER_IN_PAYLOAD({ delimiter: describeDelimiter(this.delimiter) }),
      });
    }
    return refused;
  }

  release(chunks: readonly Buffer[]): void {
    this.pool.release(chunks);
  }

  private copy(batch: MessageBatch): Buffer {
    const { delimiter, pool } = this;
    const { slab, length: count } = batch;
    if (slab) return joinRanges({ ...slab, count }, { after: delimiter, allocate: pool.take, positions: false }).bytes;
    const out = pool.take(batch.byteLength + count * delimiter.length);
    let to = 0;
    for (let i = 0; i < count; i++) {
      const payload = batch.payload(i);
      out.set(payload, to);
      to += payload.length;
      for (let b = 0; b < delimiter.length; b++) out[to++] = delimiter[b]!;
    }
    return out;
  }
}

/** The payloads with the delimiters behind them, as few pieces as possible; undefined when there would be too many. */
function runsOf(slab: Slab, gap: number): Buffer[] | undefined {
  const { bytes, starts, ends } = slab;
  const count = starts.length;
  const runs: Buffer[] = [];
  let from = starts[0]!;
  let total = 0;
  for (let i = 0; i < count; i++) {
    const end = ends[i]! + gap;
    if (i + 1 < count && starts[i + 1] === end) continue;
    runs.push(bytes.subarray(from, end));
    total += end - from;
    if (runs.length > MAX_RUNS || (runs.length > 8 && total < runs.length * MIN_RUN_BYTES)) return undefined;
    if (i + 1 < count) from = starts[i + 1]!;
  }
  return runs;
}
