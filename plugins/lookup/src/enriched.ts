import { type MessageBatch, type Metadata, type Slab, type SlabFields, slabBatch } from "@mqb/core/plugin";

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
  private readonly payloads: Uint8Array[] = [];
  private readonly failed: { readonly index: number; readonly error: unknown }[] = [];
  private reasons: Map<number, string> | undefined;
  private bytes = 0;
  private dropped = 0;

  /** `names`: of the fields that get an answer; none where the answer is the payload. */
  constructor(whole: MessageBatch, names: readonly string[]) {
    this.whole = whole;
    this.names = names.map((name) => `lookup.${name}.found`);
    this.width = Math.max(1, names.length);
    this.places = new Uint32Array(whole.length);
    this.found = new Uint8Array(whole.length * this.width);
  }

  /** `found`: one for each lookup. `reason`: why a lookup failed, where the message goes on all the same. */
  keep(index: number, payload: Uint8Array, found: readonly boolean[], reason?: string): void {
    const count = this.payloads.length;
    this.places[count] = index;
    for (let i = 0; i < found.length; i++) this.found[count * this.width + i] = found[i] ? 1 : 0;
    if (reason !== undefined) (this.reasons ??= new Map()).set(count, reason);
    this.bytes += payload.length;
    this.payloads.push(payload);
  }

  fail(index: number, error: unknown): void {
    this.failed.push({ index, error });
  }

  drop(): void {
    this.dropped++;
  }

  finish(): Enriched {
    const { whole, payloads, failed, dropped } = this;
    const kept = payloads.length < whole.length ? this.places.slice(0, payloads.length) : undefined;
    failed.sort((a, b) => a.index - b.index);
    return { batch: slabBatch(this.slab(), this.fields(), whole.shared), kept, failed, dropped };
  }

  /** An answer is written without line breaks, and a payload of lines has none: each is a line again. */
  private slab(): Slab {
    const { payloads } = this;
    const terminator = this.whole.slab?.terminator;
    const lines = terminator?.length === 1 && terminator[0] === LINE_BREAK;
    const bytes = Buffer.allocUnsafeSlow(this.bytes + (lines ? payloads.length : 0));
    const starts = new Uint32Array(payloads.length);
    const ends = new Uint32Array(payloads.length);
    let at = 0;
    for (let i = 0; i < payloads.length; i++) {
      starts[i] = at;
      bytes.set(payloads[i]!, at);
      ends[i] = at += payloads[i]!.length;
      if (lines) bytes[at++] = LINE_BREAK;
    }
    return { bytes, starts, ends, ...(lines ? { terminator } : {}) };
  }

  private fields(): SlabFields {
    const { whole, places } = this;
    const fields: SlabFields = {
      id: (index) => whole.id(places[index]!),
      metadata: (index) => this.metadata(index),
    };
    if (!whole.writeId) return fields;
    return {
      ...fields,
      writeId(index, into, at) {
        whole.writeId!(places[index]!, into, at);
        return true;
      },
    };
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
