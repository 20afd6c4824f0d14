import type { MessageBatch } from "@mqb/core/plugin";
import { type Engine, FIELD_FLAGS, FieldTable, ODD_DOCUMENT } from "@mqb/kernel";
import { compileFields, type FieldFinder, FieldKind } from "./fields.ts";
import type { JsonPath } from "./path.ts";
import { plainNumber } from "./plain-number.ts";

/** With fewer messages a walk over each costs less than a call of the kernel. */
const FEW = 4;
const KIND = 7;
const LOOSE = FIELD_FLAGS.blanks | FIELD_FLAGS.repeated;
const UNKNOWN = LOOSE | FIELD_FLAGS.escapes;
const NO_BYTES = new Uint8Array(0);

export interface BatchFieldsOptions {
  readonly engine?: Engine;
  /** Paths, by position, whose values are read as numbers too. */
  readonly numbers?: readonly number[];
}

/**
 * Finds several fields in every message of a batch, as `compileFields` finds them in one document: nearly always with one
 * call of the kernel for the whole batch. Called once per place at start; not shared between places that run at the same time.
 */
export function compileBatchFields(paths: readonly JsonPath[], options: BatchFieldsOptions = {}): BatchFields {
  return new BatchFields(paths, options);
}

/**
 * The fields of the batch that it was turned to. Of message `m` and path `p` they lie in the arrays at `m * width + p`, as
 * in those of a `FieldFinder`; `at` turns to one message, for those who go from one to the next.
 */
export class BatchFields {
  readonly width: number;
  /** Good until the next `begin`, which may put others in their place. */
  kinds = new Uint8Array(0);
  starts = new Uint32Array(0);
  ends = new Uint32Array(0);
  /**
   * What `plainNumber` reads from the values of the paths that were asked for, in strings too; NaN for every other one. That
   * of message `m` and the nth of those paths is at `m * numberWidth + n`.
   */
  numbers = new Float64Array(0);
  readonly numberWidth: number;
  /** By message, as the kernel gives them; see `root`. */
  roots = new Uint8Array(0);
  /** Where the positions of the message lie that `at` turned to, and where its fields begin in the arrays. */
  bytes: Uint8Array = NO_BYTES;
  base = 0;
  /** Every message of the batch is an object; false also where nobody has looked. */
  areObjects = false;
  private readonly finder: FieldFinder;
  private readonly paths: readonly JsonPath[];
  private readonly engine: Engine;
  private readonly numbered: readonly number[];
  private table: FieldTable | undefined | "not made" = "not made";
  private batch: MessageBatch | undefined;

  constructor(paths: readonly JsonPath[], { engine = "auto", numbers = [] }: BatchFieldsOptions) {
    this.paths = paths;
    this.engine = engine;
    this.numbered = numbers;
    this.width = paths.length;
    this.numberWidth = numbers.length;
    this.finder = compileFields(paths);
  }

  /** Turns to a batch; to the same one again at no cost. */
  begin(batch: MessageBatch): void {
    if (batch === this.batch) return;
    this.batch = undefined;
    this.areObjects = false;
    this.reserve(batch.length);
    const { slab, length } = batch;
    if (!slab) {
      this.bytes = NO_BYTES;
      for (let index = 0; index < length; index++) {
        const payload = batch.payload(index);
        this.one(index, payload, 0, payload.length);
      }
    } else {
      this.bytes = slab.bytes;
      const table = length < FEW ? undefined : this.tableOnce();
      const ranges = { ...slab, count: length };
      let others = 0;
      for (let index = 0; index < length; ) {
        const done = table ? table.find(ranges, index, this) : 0;
        const rest = done > 0 ? table!.others : 1;
        for (let at = index; rest > 0 && at < index + Math.max(done, 1); at++) {
          if (done === 0 || this.roots[at] === ODD_DOCUMENT) this.one(at, slab.bytes, slab.starts[at]!, slab.ends[at]!);
        }
        others += rest;
        index += Math.max(done, 1);
      }
      this.areObjects = others === 0;
    }
    this.batch = batch;
  }

  /** Turns to one message of the batch. */
  at(index: number): void {
    this.base = index * this.width;
    if (!this.batch!.slab) this.bytes = this.batch!.payload(index);
  }

  /** The kind of a message's document; `absent` where it is none. */
  root(index: number): number {
    return this.roots[index]! & KIND;
  }

  /** No blanks stand between the tokens of the objects that paths lead through, and none of the fields came twice. */
  isTight(index: number): boolean {
    const root = this.roots[index]!;
    return (root & LOOSE) === 0 && (root & KIND) !== FieldKind.absent;
  }

  /** None of the strings that were found has an escape in it: each is the text between its quotes. */
  isPlain(index: number): boolean {
    return (this.roots[index]! & FIELD_FLAGS.escapes) === 0;
  }

  private one(index: number, bytes: Uint8Array, start: number, end: number): void {
    const { finder, width } = this;
    finder.find(bytes, start, end);
    const base = index * width;
    for (let path = 0; path < width; path++) {
      this.kinds[base + path] = finder.kinds[path]!;
      this.starts[base + path] = finder.starts[path]!;
      this.ends[base + path] = finder.ends[path]!;
    }
    for (let n = 0; n < this.numberWidth; n++) {
      const path = this.numbered[n]!;
      const kind = finder.kinds[path]!;
      const quote = kind === FieldKind.string ? 1 : 0;
      const isText = quote === 1 || kind === FieldKind.number;
      const [from, to] = [finder.starts[path]! + quote, finder.ends[path]! - quote];
      this.numbers[index * this.numberWidth + n] = isText ? plainNumber(bytes, from, to) : Number.NaN;
    }
    this.roots[index] = finder.root === FieldKind.absent ? FieldKind.absent : finder.root | UNKNOWN;
  }

  private reserve(count: number): void {
    if (this.roots.length >= count && this.kinds.length >= count * this.width) return;
    const room = Math.max(64, count);
    this.roots = new Uint8Array(room);
    this.kinds = new Uint8Array(room * this.width);
    this.starts = new Uint32Array(room * this.width);
    this.ends = new Uint32Array(room * this.width);
    this.numbers = new Float64Array(room * this.numberWidth);
  }

  private tableOnce(): FieldTable | undefined {
    if (this.table === "not made") this.table = FieldTable.of(this.paths, this.engine, this.numbered);
    return this.table;
  }
}
