import { isUtf8 } from "node:buffer";
import {
  type ByteSink,
  fieldsFrom,
  Message,
  type MessageBatch,
  type Metadata,
  type Slab,
  type SlabFields,
  slabBatch,
} from "@mqb/core/plugin";
import { Pieces } from "@mqb/kernel";
import type { ExpressionStage } from "./expression.ts";
import { type Failure, parseFailure } from "./failure.ts";
import type { Mapping } from "./mapping.ts";
import { Output } from "./output.ts";
import type { SchemaStage } from "./schema/stage.ts";

/** What a transform does, in this order. */
export interface Stages {
  readonly mapping?: Mapping | undefined;
  readonly expression?: ExpressionStage | undefined;
  readonly schema?: SchemaStage | undefined;
}

export interface Transformed {
  readonly batch: MessageBatch;
  /** The positions that `batch` holds; undefined = all. */
  readonly kept: Uint32Array | undefined;
  /** Those that it does not hold, in ascending order. */
  readonly rejected: readonly Rejected[];
  /** Nobody looks at `batch` any more: its memory may be written over. */
  release(): void;
}

export interface Rejected {
  readonly index: number;
  readonly failure: Failure;
}

const ERROR_KEY = "mqb.transform_error";
const LINE_BREAK = 10;
/** As many buffers as batches are on their way at once, and none of those of a batch that was larger than others. */
const MOST_SPARE = 4;
const LARGEST_SPARE = 16 * 1024 * 1024;
const ROOM = 1.05;
const LEAST = 1024;
const NONE = Buffer.alloc(0);

/** Transforms batches: one slab out of one batch, no message made unless an expression asks for it. */
export class Transformer {
  private readonly stages: Stages;
  private readonly passThrough: boolean;
  private readonly scratch = new Output(0);
  private readonly pieces = new Pieces();
  /** What later batches are written to. */
  private readonly spare: ArrayBufferLike[] = [];
  private failure: Failure | undefined;

  constructor(stages: Stages, onError: "reject" | "pass_through") {
    this.stages = stages;
    this.passThrough = onError === "pass_through";
  }

  run(batch: MessageBatch): Transformed {
    const { length, slab } = batch;
    const out = this.pieces;
    out.begin(slab ? slab.bytes : NONE);
    const terminated = endsInLineBreaks(slab);
    const readable = slab !== undefined && isReadable(slab);
    const starts = new Uint32Array(length);
    const ends = new Uint32Array(length);
    const places = new Uint32Array(length);
    const rejected: Rejected[] = [];
    let reasons: Map<number, string> | undefined;
    const { mapping, expression, schema } = this.stages;
    (mapping ?? expression ?? schema)?.begin(batch);
    let count = 0;
    for (let index = 0; index < length; index++) {
      const bytes = slab ? slab.bytes : batch.payload(index);
      const start = slab ? slab.starts[index]! : 0;
      const end = slab ? slab.ends[index]! : bytes.length;
      const mark = out.length;
      if (!this.one(batch, index, bytes, start, end, readable, out)) {
        out.length = mark;
        const failure = this.failure!;
        if (!this.passThrough) {
          rejected.push({ index, failure });
          continue;
        }
        out.copy(bytes, start, end);
        (reasons ??= new Map()).set(count, failureText(failure));
      }
      starts[count] = mark;
      ends[count] = out.length;
      places[count++] = index;
      if (terminated) out.byte(LINE_BREAK);
    }
    const kept = count < length ? places.slice(0, count) : undefined;
    const written: Slab = {
      bytes: out.join(this.allocate),
      starts: kept ? starts.slice(0, count) : starts,
      ends: kept ? ends.slice(0, count) : ends,
      ...(terminated ? { terminator: slab!.terminator! } : {}),
    };
    const memory = written.bytes.buffer;
    const release = (): void => {
      if (this.spare.length < MOST_SPARE && memory.byteLength <= LARGEST_SPARE) this.spare.push(memory);
    };
    return { batch: slabBatch(written, fieldsOf(batch, kept, reasons), batch.shared), kept, rejected, release };
  }

  private readonly allocate = (size: number): Buffer => {
    const memory = this.spare.pop();
    if (memory && memory.byteLength >= size) return Buffer.from(memory, 0, size);
    // Somewhat more, so that the next batch, which is of about the same size, fits.
    return Buffer.allocUnsafeSlow(Math.ceil(size * ROOM) + LEAST).subarray(0, size);
  };

  private one(
    batch: MessageBatch,
    index: number,
    bytes: Uint8Array,
    start: number,
    end: number,
    readable: boolean,
    out: ByteSink,
  ): boolean {
    const { mapping, expression, schema } = this.stages;
    if (!readable && !isUtf8(bytes.subarray(start, end))) {
      this.failure = parseFailure(bytes.subarray(start, end));
      return false;
    }
    let [from, at, to] = [bytes, start, end];
    if (mapping) {
      const { scratch } = this;
      const last = !expression && !schema;
      scratch.length = 0;
      if (!mapping.apply(batch, index, last ? out : scratch)) return this.failed(mapping);
      if (last) return true;
      [from, at, to] = [scratch.bytes, 0, scratch.length];
    }
    if (expression) {
      const written = !mapping && !schema ? expression.write(index, out) : undefined;
      if (written !== undefined) return written || this.failed(expression);
      const message = mapping ? new Message(from.subarray(at, to), batch.metadata(index)) : batch.at(index);
      const computed = expression.apply(message);
      if (!computed) return this.failed(expression);
      [from, at, to] = [computed, 0, computed.length];
    }
    if (schema && !mapping && !expression) return schema.applyTo(index, from, at, to, out) || this.failed(schema);
    if (!schema) out.copy(from, at, to);
    else if (!schema.applyAlone(from, at, to, out)) return this.failed(schema);
    return true;
  }

  private failed(stage: { readonly failure: Failure | undefined }): false {
    this.failure = stage.failure;
    return false;
  }
}

export function failureText({ path, reason, text }: Failure): string {
  return `transform failed at ${path} [${reason}]: ${text}`;
}

/** Nothing that a stage writes holds a line break, unless the payload held it. */
function endsInLineBreaks(slab: Slab | undefined): boolean {
  const { terminator = NONE } = slab ?? {};
  return terminator.length === 1 && terminator[0] === LINE_BREAK;
}

/** Whether all payloads are UTF-8, looked at in one piece. */
function isReadable({ bytes, starts, ends }: Slab): boolean {
  if (starts.length === 0) return true;
  let first = starts[0]!;
  let last = 0;
  let size = 0;
  for (let i = 0; i < starts.length; i++) {
    first = Math.min(first, starts[i]!);
    last = Math.max(last, ends[i]!);
    size += ends[i]! - starts[i]!;
  }
  return last - first <= 2 * size + 1024 && isUtf8(bytes.subarray(first, last));
}

function fieldsOf(
  batch: MessageBatch,
  kept: Uint32Array | undefined,
  reasons: ReadonlyMap<number, string> | undefined,
): SlabFields {
  const fields = fieldsFrom(batch, kept);
  if (!reasons) return fields;
  return {
    ...fields,
    metadata(index): Metadata | undefined {
      const reason = reasons.get(index);
      if (reason === undefined) return fields.metadata!(index);
      return new Map(batch.metadata(kept ? kept[index]! : index)).set(ERROR_KEY, reason);
    },
  };
}
