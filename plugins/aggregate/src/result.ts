import { fieldsFrom, type MessageBatch, type Metadata, type Slab, type SlabFields, slabBatch } from "@mqb/core/plugin";
import { compileFields, type FieldFinder, FieldKind, type JsonPath, spliceFields } from "@mqb/json";
import type { Entry, Folded } from "./folder.ts";
import { Output } from "./output.ts";

/** What a batch has become. */
export interface Result {
  readonly batch: MessageBatch;
  /** The positions that `batch` holds; undefined = all. */
  readonly kept: Uint32Array | undefined;
  /** Those that it does not hold, in ascending order. */
  readonly rejected: readonly { readonly index: number; readonly reason: string }[];
  /** The first messages that came late, and that left entries out, with their `into` paths. */
  readonly late: string | undefined;
  readonly skipped: string | undefined;
  /** Why entries were left out, for the log. */
  readonly reasons: readonly string[];
}

const LINE_BREAK = 10;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const COMMA = 0x2c;
const LATE = "mqb.aggregate.late";
const SKIPPED = "mqb.aggregate.skipped";

/** Writes the results into the payloads of a batch; every other byte stays as it is. */
export class Writer {
  private readonly entries: readonly Entry[];
  private readonly skips: boolean;
  /** When no `into` is there yet, what goes before the closing brace: texts, and between them the results. */
  private readonly members: readonly Buffer[];
  private readonly order: readonly number[];
  private readonly finders: readonly FieldFinder[];
  /** One entry writes into the result of another. */
  private readonly overlap: boolean;
  /** Bytes that came out of the last batch for each that went in. */
  private growth = 1.5;

  constructor(entries: readonly Entry[], onError: "drop" | "fail" | "skip") {
    this.entries = entries;
    this.skips = onError === "skip";
    this.finders = entries.map(({ path }) => compileFields([path.slice(0, 1)]));
    this.overlap = entries.some((one) => entries.some((other) => one !== other && isInside(one.path, other.path)));
    const tree = new Branch();
    if (!this.overlap) for (const [e, { path }] of entries.entries()) tree.put(path as readonly string[], e);
    const texts: string[] = [""];
    const order: number[] = [];
    tree.write(texts, order);
    this.members = texts.map((text) => Buffer.from(text));
    this.order = order;
  }

  run(folded: Folded): Result {
    const { batch, reasons } = folded;
    const { length } = batch;
    const out = new Output(Math.ceil(batch.byteLength * this.growth * 1.05) + 64 * length);
    const terminated = endsInLineBreaks(batch.slab);
    const starts = new Uint32Array(length);
    const ends = new Uint32Array(length);
    const places = new Uint32Array(length);
    const rejected: { index: number; reason: string }[] = [];
    let marks: Map<number, readonly [string, string][]> | undefined;
    let [late, skipped]: (string | undefined)[] = [];
    const left: string[] = [];
    let kept = 0;
    for (let index = 0; index < length; index++) {
      const reason = reasons[index];
      if (reason !== undefined && !this.skips) {
        rejected.push({ index, reason });
        continue;
      }
      starts[kept] = out.length;
      this.write(folded, index, out);
      ends[kept] = out.length;
      places[kept] = index;
      if (terminated) out.byte(LINE_BREAK);
      if (folded.late || reason !== undefined) {
        const lateOnes = this.names(index, (at) => folded.late?.[at] === 1 && folded.to[at]! > 0);
        const leftOut = this.names(index, (at) => folded.to[at] === 0);
        if (lateOnes !== "") late ??= lateOnes;
        if (leftOut !== "") skipped ??= leftOut;
        if (reason !== undefined) left.push(reason);
        const pairs: [string, string][] = [];
        if (lateOnes !== "") pairs.push([LATE, lateOnes]);
        if (leftOut !== "") pairs.push([SKIPPED, leftOut]);
        if (pairs.length > 0) (marks ??= new Map()).set(kept, pairs);
      }
      kept++;
    }
    if (batch.byteLength > 0) this.growth = Math.min(out.length / batch.byteLength, 8);
    const some = kept < length ? places.slice(0, kept) : undefined;
    const slab: Slab = {
      bytes: out.bytes.subarray(0, out.length),
      starts: some ? starts.slice(0, kept) : starts,
      ends: some ? ends.slice(0, kept) : ends,
      ...(terminated ? { terminator: batch.slab!.terminator! } : {}),
    };
    const written = slabBatch(slab, fieldsOf(batch, some, marks), batch.shared);
    return { batch: written, kept: some, rejected, late, skipped, reasons: left };
  }

  private write({ batch, shown, from, to, kinds, reasons }: Folded, index: number, out: Output): void {
    const { slab } = batch;
    const count = this.entries.length;
    const bytes = slab ? slab.bytes : batch.payload(index);
    const start = slab ? slab.starts[index]! : 0;
    const end = slab ? slab.ends[index]! : bytes.length;
    const first = index * count;
    let fresh = reasons[index] === undefined && !this.overlap;
    for (let e = 0; e < count; e++) if (kinds[first + e] !== FieldKind.absent) fresh = false;
    if (fresh) {
      let close = end - 1;
      while (bytes[close] !== CLOSE) close--;
      let last = close - 1;
      while (bytes[last]! <= 0x20) last--;
      out.copy(bytes, start, close);
      // The brace before the last one can only be that of an object without members.
      if (bytes[last] !== OPEN) out.byte(COMMA);
      for (let i = 0; i < count; i++) {
        const at = first + this.order[i]!;
        out.copy(this.members[i]!, 0, this.members[i]!.length);
        out.copy(shown.bytes, from[at]!, to[at]!);
      }
      out.copy(this.members[count]!, 0, this.members[count]!.length);
      out.byte(CLOSE);
      return;
    }
    let payload: Uint8Array = bytes.subarray(start, end);
    for (let e = 0; e < count; e++) {
      const at = first + e;
      if (to[at]! > 0) payload = this.place(payload, e, shown.bytes.subarray(from[at]!, to[at]!));
    }
    out.copy(payload, 0, payload.length);
  }

  /** A field that is there moves to the end of the document, as the original has it. */
  private place(payload: Uint8Array, e: number, value: Buffer): Uint8Array {
    const { path } = this.entries[e]!;
    const finder = this.finders[e]!;
    const first = path.slice(0, 1);
    finder.find(payload, 0, payload.length);
    if (finder.kinds[0] === FieldKind.absent) return put(payload, path, value);
    const without = put(payload, first, undefined);
    if (path.length === 1 || finder.kinds[0] !== FieldKind.object) return put(without, path, value);
    return put(without, first, put(payload.subarray(finder.starts[0]!, finder.ends[0]!), path.slice(1), value));
  }

  private names(index: number, which: (at: number) => boolean): string {
    const first = index * this.entries.length;
    return this.entries
      .filter((_, e) => which(first + e))
      .map(({ into }) => into)
      .join(",");
  }
}

/** The results of all entries as members of objects. */
class Branch {
  private readonly inside = new Map<string, Branch | number>();

  put([step, ...rest]: readonly string[], e: number): void {
    if (rest.length === 0) this.inside.set(step!, e);
    else {
      const found = this.inside.get(step!);
      const branch = found instanceof Branch ? found : new Branch();
      this.inside.set(step!, branch);
      branch.put(rest, e);
    }
  }

  /** Appends to the last text, and a further one behind each result. */
  write(texts: string[], order: number[]): void {
    let first = true;
    for (const [key, value] of this.inside) {
      texts[texts.length - 1] += `${first ? "" : ","}${JSON.stringify(key)}:`;
      first = false;
      if (value instanceof Branch) {
        texts[texts.length - 1] += "{";
        value.write(texts, order);
        texts[texts.length - 1] += "}";
      } else {
        order.push(value);
        texts.push("");
      }
    }
  }
}

function put(document: Uint8Array, path: JsonPath, value: Buffer | undefined): Buffer {
  return spliceFields(document, 0, document.length, [{ path, value }]);
}

function isInside(path: JsonPath, other: JsonPath): boolean {
  return path.length >= other.length && other.every((step, at) => step === path[at]);
}

function endsInLineBreaks(slab: Slab | undefined): boolean {
  return slab?.terminator?.length === 1 && slab.terminator[0] === LINE_BREAK;
}

function fieldsOf(
  batch: MessageBatch,
  kept: Uint32Array | undefined,
  marks: ReadonlyMap<number, readonly [string, string][]> | undefined,
): SlabFields {
  const fields = fieldsFrom(batch, kept);
  if (!marks) return fields;
  return {
    ...fields,
    metadata(index): Metadata | undefined {
      const marked = marks.get(index);
      return marked ? new Map([...batch.metadata(kept ? kept[index]! : index), ...marked]) : fields.metadata!(index);
    },
  };
}
