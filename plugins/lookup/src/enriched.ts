import { fieldsFrom, type MessageBatch, type Metadata, type Slab, type SlabFields, slabBatch } from "@mqb/core/plugin";
import { Output } from "./output.ts";

/** What became of a batch. */
export interface Enriched {
  /** The messages that go on. */
  readonly batch: MessageBatch;
  /** Their positions in the whole; undefined = all. */
  readonly kept: Uint32Array | undefined;
  /** In ascending order. */
  readonly failed: readonly { readonly index: number; readonly error: unknown }[];
  readonly dropped: number;
}

const FOUND = "lookup.found";
const ERROR = "lookup.error";
const LINE_BREAK = 10;

/** Puts a batch together again, message by message in ascending order; no message object is made. */
export class EnrichedBatch {
  private readonly whole: MessageBatch;
  private readonly names: readonly string[];
  private readonly width: number;
  private readonly places: Uint32Array;
  /** By kept message and lookup. */
  private readonly found: Uint8Array;
  /** The payloads that go on, one behind another. */
  readonly out: Output;
  private readonly starts: Uint32Array;
  private readonly ends: Uint32Array;
  private readonly terminator: Uint8Array | undefined;
  private count = 0;
  /** Of what was kept last, in `out`. */
  private end = 0;
  private readonly failed: { readonly index: number; readonly error: unknown }[] = [];
  private reasons: Map<number, string> | undefined;
  private dropped = 0;

  /** `names`: of the fields that get an answer; none where the answer is the payload. `growth`: of payloads, expected. */
  constructor(whole: MessageBatch, names: readonly string[], growth: number) {
    const { length, slab } = whole;
    this.whole = whole;
    this.names = names.map((name) => `lookup.${name}.found`);
    this.width = Math.max(1, names.length);
    this.places = new Uint32Array(length);
    this.found = new Uint8Array(length * this.width);
    this.starts = new Uint32Array(length);
    this.ends = new Uint32Array(length);
    // An answer is written without line breaks, and a payload of lines has none: each is a line again.
    const { terminator } = slab ?? {};
    if (terminator?.length === 1 && terminator[0] === LINE_BREAK) this.terminator = terminator;
    this.out = new Output(Math.ceil(whole.byteLength * growth) + length);
  }

  /**
   * The payload at `index` was written to `out`. `found`: one for each lookup. `reason`: why a lookup failed, where the
   * message goes on all the same.
   */
  keep(index: number, found: readonly boolean[], reason?: string): void {
    const { out } = this;
    const count = this.count++;
    this.places[count] = index;
    this.starts[count] = this.end;
    this.ends[count] = out.length;
    if (this.terminator) out.byte(LINE_BREAK);
    this.end = out.length;
    for (let i = 0; i < found.length; i++) this.found[count * this.width + i] = found[i] ? 1 : 0;
    if (reason !== undefined) (this.reasons ??= new Map()).set(count, reason);
  }

  fail(index: number, error: unknown): void {
    this.failed.push({ index, error });
  }

  drop(): void {
    this.dropped++;
  }

  finish(): Enriched {
    const { whole, failed, dropped, count, terminator } = this;
    const kept = count < whole.length ? this.places.slice(0, count) : undefined;
    failed.sort((a, b) => a.index - b.index);
    const slab: Slab = {
      bytes: this.out.bytes,
      starts: kept ? this.starts.slice(0, count) : this.starts,
      ends: kept ? this.ends.slice(0, count) : this.ends,
      ...(terminator ? { terminator } : {}),
    };
    return { batch: slabBatch(slab, this.fields(), whole.shared), kept, failed, dropped };
  }

  private fields(): SlabFields {
    return { ...fieldsFrom(this.whole, this.places), metadata: (index) => this.metadata(index) };
  }

  private metadata(index: number): Metadata {
    const { names, width } = this;
    const metadata = new Map(this.whole.metadata(this.places[index]!));
    let all = true;
    for (let i = 0; i < width; i++) {
      const found = this.found[index * width + i] === 1;
      all &&= found;
      if (names.length > 0) metadata.set(names[i]!, String(found));
    }
    metadata.set(FOUND, String(all));
    const reason = this.reasons?.get(index);
    if (reason === undefined) metadata.delete(ERROR);
    else metadata.set(ERROR, reason);
    return metadata;
  }
}
