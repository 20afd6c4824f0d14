import { type Arena, privateArena } from "./arena.ts";
import { type CsvDialect, type ResolvedDialect, resolveDialect } from "./csv-dialect.ts";
import { arenaOf, type Engine } from "./engine.ts";
import { type Allocate, Gathered } from "./gathered.ts";
import { illFormed } from "./ill-formed.ts";
import { jsonColumns } from "./json-columns.ts";
import { CFG, DELIMITER, FLAG, Layout, RES, SLOT_STRIDE } from "./layout.ts";
import { COLUMN_SCRATCH, hashName, MAX_PATH, REASON, WALK_SCRATCH } from "./loops/rows.ts";
import { REFUSED } from "./loops/text.ts";
import { loadRanges, type Ranges, rangeAt } from "./ranges.ts";

export interface JsonToCsvOptions extends Omit<CsvDialect, "escape"> {
  /** Column names in order, at least one, each once. */
  readonly columns: readonly string[];
  /**
   * `flatten` (default): the value of column `a.b` is also looked for in the nested object `a`. An object whose own name is a
   * column is written as JSON text. `json`: every nested object is.
   */
  readonly nested?: "flatten" | "json";
  /** An object whose keys are not exactly the columns: `write` (default) what fits, or `refuse` it. */
  readonly mismatch?: "write" | "refuse";
  readonly engine?: Engine;
  /** Tell where each row lies and which object it came from; default true. Otherwise `starts` and `ends` are empty. */
  readonly positions?: boolean;
  /** Where row buffers come from; default `Buffer.allocUnsafeSlow`. Must return exactly that size. */
  readonly allocate?: Allocate;
}

export type CsvRefusalReason =
  | "not_json"
  | "not_object"
  | "empty_object"
  | "ill_formed_utf8"
  | "lone_surrogate"
  | "unknown_key"
  | "missing_column"
  /** A field holds the separator, the delimiter, CR or LF, and there is no quote. */
  | "unquotable"
  | "too_deep";

/** An object that did not become a row. */
export interface CsvRefusal {
  /** Which of the objects given. */
  readonly index: number;
  readonly reason: CsvRefusalReason;
  /** For `unknown_key`: the first key that is no column. */
  readonly key?: string;
  /** For `missing_column`: how many of the columns the object has. */
  readonly present?: number;
}

/** Rows in a buffer that is the caller's, each followed by `terminator`, nothing between them. */
export interface CsvRows extends Ranges {
  readonly terminator: Uint8Array;
  /** Which object row i came from; `undefined` when every object became a row, or with `positions: false`. */
  readonly records: Uint32Array | undefined;
  readonly refused: readonly CsvRefusal[];
  /** With `mismatch: "write"`: rows that lack columns, rows with keys that were dropped, and the first of either. */
  readonly missing: number;
  readonly unknown: number;
  readonly firstMismatch: { readonly index: number; readonly key: string | undefined } | undefined;
}

const EMPTY = Buffer.alloc(0);
const STRIDE = SLOT_STRIDE / 4;
/** Behind an output limit the loop may write this much. */
const SLACK = 64;

/**
 * JSON objects to CSV rows for fixed columns. Text is unescaped; numbers, `true`, `false` and `null` are written as they
 * are spelled; arrays and empty objects as the JSON text they have. Quoted is a field with the separator, the quote, CR, LF or
 * the delimiter, and an empty field that is the whole row.
 */
export class JsonToCsv {
  readonly columns: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #dialect: ResolvedDialect;
  readonly #flatten: boolean;
  readonly #exact: boolean;
  readonly #names: readonly Buffer[];
  readonly #tableSize: number;
  readonly #keysSize: number;
  readonly #plainNames: boolean;
  readonly #positions: boolean;
  readonly #engine: Engine;
  readonly #allocate: Allocate;
  #wide: Arena | undefined;

  constructor(options: JsonToCsvOptions) {
    const { columns } = options;
    if (columns.length === 0) throw new RangeError("columns must name at least one column");
    this.#known = new Set(columns);
    if (this.#known.size !== columns.length) throw new RangeError("columns names one column twice");
    this.columns = columns;
    this.#dialect = resolveDialect(options);
    this.#flatten = options.nested !== "json";
    this.#exact = options.mismatch === "refuse";
    this.#names = columns.map((name) => Buffer.from(name));
    let tableSize = 4;
    while (tableSize < columns.length * 2) tableSize *= 2;
    this.#tableSize = tableSize;
    this.#keysSize = this.#names.reduce((size, name) => size + 8 + name.length, tableSize * 4);
    this.#plainNames = columns.every(isPlainName);
    this.#positions = options.positions !== false;
    this.#engine = options.engine ?? "auto";
    this.#allocate = options.allocate ?? Buffer.allocUnsafeSlow;
  }

  /** Called once a batch. Nothing is thrown for an object that cannot be written: it is in `refused`. */
  encode(objects: Ranges): CsvRows {
    const bad = illFormed(objects);
    const result = new RowsResult(this.#positions ? objects.count : 0, this.#allocate);
    const arena = this.#claim();
    for (let index = 0; index < objects.count; ) {
      const loaded = loadRanges(arena, objects, index, bad);
      const done = loaded === 0 ? 0 : this.#runLoop(arena, loaded);
      if (done > 0) result.take(arena, index, done);
      else result.take(this.#runWide(bad.has(index) ? EMPTY : rangeAt(objects, index)), index, 1);
      index += Math.max(done, 1);
    }
    const { first } = result;
    return {
      ...result.rows(),
      count: result.count,
      terminator: this.#dialect.delimiter,
      refused: result.refused.map(([index, reason]) =>
        bad.has(index) ? { index, reason: "ill_formed_utf8" } : this.#refusal(rangeAt(objects, index), index, reason),
      ),
      missing: result.missing,
      unknown: result.unknown,
      firstMismatch: first < 0 ? undefined : { index: first, key: this.#unknownKey(rangeAt(objects, first)) },
    };
  }

  /** The shared arena, or one with more room when the columns need it. */
  #claim(): Arena {
    const shared = arenaOf(this.#engine);
    const scratch = this.#scratchSize();
    if (this.#keysSize <= shared.layout.keysSize && scratch <= shared.layout.scratchSize) return shared;
    this.#wide ??= privateArena(new Layout({ keys: this.#keysSize, scratch }));
    return this.#wide;
  }

  #scratchSize(): number {
    return this.columns.length * COLUMN_SCRATCH + WALK_SCRATCH;
  }

  #runLoop(arena: Arena, count: number): number {
    const { layout, loops } = arena;
    this.#configure(arena);
    return loops.rows(
      count,
      layout.slots,
      layout.output,
      layout.output + layout.outputSize - SLACK - this.columns.length,
    );
  }

  /** One object that does not fit the arena, or whose row does not. */
  #runWide(object: Buffer): Arena {
    const sizes = { keys: this.#keysSize, input: object.length, scratch: this.#scratchSize() };
    for (let output = object.length + 2 * this.columns.length + 1024; ; output *= 2) {
      const arena = privateArena(new Layout({ ...sizes, output }));
      loadRanges(arena, { bytes: object, starts: Uint32Array.of(0), ends: Uint32Array.of(object.length), count: 1 }, 0);
      if (this.#runLoop(arena, 1) === 1) return arena;
    }
  }

  #configure(arena: Arena): void {
    const { memory, words, layout } = arena;
    const { separator, quote, delimiter } = this.#dialect;
    words[CFG.keys] = layout.keys;
    words[CFG.keyCount] = this.#names.length;
    words[CFG.maxField] = this.#tableSize;
    words[CFG.separator] = separator;
    words[CFG.quote] = quote;
    words[CFG.flags] =
      (this.#flatten ? FLAG.flatten : 0) | (this.#exact ? FLAG.exact : 0) | (this.#plainNames ? FLAG.plainNames : 0);
    words[CFG.delimiterLength] = delimiter.length;
    words[CFG.scratch] = layout.scratch;
    words[CFG.outBase] = layout.output;
    delimiter.copy(memory, DELIMITER);
    const table = layout.keys / 4 + this.#names.length * 2;
    words.fill(0, table, table + this.#tableSize);
    let address = (table + this.#tableSize) * 4;
    this.#names.forEach((name, index) => {
      words[layout.keys / 4 + index * 2] = address;
      words[layout.keys / 4 + index * 2 + 1] = name.length;
      name.copy(memory, address);
      address += name.length;
      let at = hashName(name, 0, name.length) & (this.#tableSize - 1);
      while (words[table + at] !== 0) at = (at + 1) & (this.#tableSize - 1);
      words[table + at] = index + 1;
    });
  }

  #refusal(object: Buffer, index: number, code: number): CsvRefusal {
    const reason = REASONS[code]!;
    if (reason === "unknown_key") return { index, reason, key: this.#unknownKey(object) ?? "" };
    if (reason === "missing_column") return { index, reason, present: this.#keysOf(object).length };
    return { index, reason };
  }

  #unknownKey(object: Buffer): string | undefined {
    return this.#keysOf(object).find((name) => !this.#known.has(name));
  }

  #keysOf(object: Buffer): readonly string[] {
    return jsonColumns(object, this.#flatten ? "flatten" : "json", this.#known) ?? [];
  }
}

/** Gathers the output of several runs. */
class RowsResult {
  readonly refused: [index: number, reason: number][] = [];
  count = 0;
  missing = 0;
  unknown = 0;
  /** The first object whose keys are not the columns, or -1. */
  first = -1;
  /** As many as there are objects, or none. */
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #records: Uint32Array;
  readonly #output: Gathered;

  constructor(positions: number, allocate: Allocate) {
    this.#starts = new Uint32Array(positions);
    this.#ends = new Uint32Array(positions);
    this.#records = new Uint32Array(positions);
    this.#output = new Gathered(allocate);
  }

  take(arena: Arena, index: number, count: number): void {
    const { words, layout } = arena;
    const at = layout.slots / 4 + 2 * STRIDE - index;
    if (words[RES.refused] !== 0) {
      for (let i = index; i < index + count; i++)
        if (words[at + i] === REFUSED) this.refused.push([i, words[at + STRIDE + i]!]);
    }
    if (this.#starts.length > 0) this.#locate(words, at, index, count);
    this.count += count - words[RES.refused]!;
    this.missing += words[RES.short]!;
    this.unknown += words[RES.long]!;
    if (this.first < 0 && words[RES.fault] !== REFUSED) this.first = index + words[RES.fault]!;
    this.#output.add(arena, words[RES.written]!);
  }

  #locate(words: Uint32Array, at: number, index: number, count: number): void {
    const shift = this.#output.size;
    let row = this.count;
    for (let i = index; i < index + count; i++) {
      if (words[at + i] === REFUSED) continue;
      this.#starts[row] = words[at + i]! + shift;
      this.#ends[row] = words[at + STRIDE + i]! + shift;
      this.#records[row++] = i;
    }
  }

  rows(): { bytes: Buffer; starts: Uint32Array; ends: Uint32Array; records: Uint32Array | undefined } {
    const { count } = this;
    const { bytes } = this.#output;
    if (count >= this.#starts.length) return { bytes, starts: this.#starts, ends: this.#ends, records: undefined };
    const [starts, ends, records] = [this.#starts, this.#ends, this.#records].map((array) => array.slice(0, count));
    return { bytes, starts: starts!, ends: ends!, records: records! };
  }
}

/** JSON writes it as it is, and it is no longer than a path. */
function isPlainName(name: string): boolean {
  return JSON.stringify(name).length === name.length + 2 && Buffer.byteLength(name) <= MAX_PATH;
}

const REASONS: readonly (CsvRefusalReason | undefined)[] = Object.entries({
  notJson: "not_json",
  notObject: "not_object",
  emptyObject: "empty_object",
  loneSurrogate: "lone_surrogate",
  unknownKey: "unknown_key",
  missingColumn: "missing_column",
  unquotable: "unquotable",
  tooDeep: "too_deep",
} as const satisfies Record<keyof typeof REASON, CsvRefusalReason>).reduce(
  (table: CsvRefusalReason[], [name, reason]) => {
    table[REASON[name as keyof typeof REASON]] = reason;
    return table;
  },
  [],
);

/**
 * The names as one CSV row with its delimiter, quoted like fields. Throws a RangeError for a name that needs a quote when
 * the dialect has none.
 */
export function csvHeaderRow(columns: readonly string[], dialect: Omit<CsvDialect, "escape"> = {}): Buffer {
  const writer = new JsonToCsv({ ...dialect, columns: columns.map((_, index) => String(index)), engine: "js" });
  const object = Buffer.from(`{${columns.map((name, index) => `"${index}":${JSON.stringify(name)}`).join(",")}}`);
  const rows = writer.encode({
    bytes: object,
    starts: Uint32Array.of(0),
    ends: Uint32Array.of(object.length),
    count: 1,
  });
  const refusal = rows.refused[0];
  if (refusal === undefined) return rows.bytes;
  throw new RangeError(`The column names cannot be written as a CSV row: ${refusal.reason}`);
}
