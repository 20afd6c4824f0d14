import { isUtf8 } from "node:buffer";
import { type Arena, privateArena } from "./arena.ts";
import { detectBom } from "./bom.ts";
import { type CsvLoopConfig, configureCsv, convertRecord, NO_LIMIT } from "./csv-config.ts";
import { type CsvDialect, type ResolvedDialect, resolveDialect } from "./csv-dialect.ts";
import { FirstRecord, SeparatorScan, splitFields, uniqueNames } from "./csv-header.ts";
import { CsvInput } from "./csv-input.ts";
import { CsvKeys } from "./csv-keys.ts";
import { CsvScanner, countLines, withoutDelimiter } from "./csv-scan.ts";
import { type CsvSlab, SlabBuilder } from "./csv-slab.ts";
import { arenaOf, type Engine } from "./engine.ts";
import { CFG, FLAG, Layout, MAX_SLOTS, RES, SLOT_STRIDE, STATUS } from "./layout.ts";
import { isRecordFault, RecordFault, type RecordReader } from "./records.ts";

export interface CsvToJsonOptions extends Omit<CsvDialect, "separator"> {
  /** As in `CsvDialect`, or `auto`: settled by the first record (see `detectSeparator`). */
  readonly separator?: number | "auto";
  /** Whether the first record names the columns; default true. It is read over even when `columns` is given. */
  readonly header?: boolean;
  /** Column names instead of the header's. Needed when `header` is false. */
  readonly columns?: readonly string[];
  /**
   * What a row with too few fields becomes: `empty` (default, as the original reads it) writes the missing columns as
   * empty strings, `omit` leaves them out of the object. Fields beyond the columns are always dropped.
   */
  readonly shortRows?: "empty" | "omit";
  /** List rows with too few or too many fields in `CsvSlab.ragged`; default false: they are only counted. */
  readonly listRagged?: boolean;
  /** Longest field in bytes as it stands in the file, quotes included; default 16 MiB. More is a `RecordFault`. */
  readonly maxFieldBytes?: number;
  /** Longest record in bytes; default 64 MiB. More is a `RecordFault`. */
  readonly maxRecordBytes?: number;
  /** Absolute offset of the first byte that will be fed; default 0. A byte-order mark is looked for only at 0. */
  readonly offset?: number;
  /** Line number of that byte; default 1 at offset 0, otherwise unknown and left out of faults and ragged rows. */
  readonly line?: number;
  readonly engine?: Engine;
  /** Where slabs come from; default `Buffer.allocUnsafeSlow`. Must return a buffer of exactly that size. */
  readonly allocate?: (size: number) => Buffer;
}

/** Words per row in the loop's list of ragged rows. */
const RAGGED_WORDS = 5;

/**
 * CSV bytes to one JSON object per record, every value a string, keys in column order, LF behind each. Blank records are
 * passed over. Ill-formed UTF-8 is replaced by U+FFFD. See `RecordReader` for how it is driven.
 */
export class CsvToJson implements RecordReader<CsvSlab> {
  readonly #options: CsvToJsonOptions;
  readonly #limits: { readonly maxFieldBytes: number; readonly maxRecordBytes: number };
  readonly #allocate: (size: number) => Buffer;
  readonly #input: CsvInput;
  #dialect: ResolvedDialect;
  #separatorKnown: boolean;
  #columns: readonly string[] | undefined;
  /** What was seen of the first record, before it is whole. */
  #separatorScan: SeparatorScan | undefined;
  #first: FirstRecord | undefined;
  #ready = false;
  #arena: Arena;
  #loop: CsvLoopConfig | undefined;
  /** Set while a record that does not fit the arena is being put together. */
  #scanner: CsvScanner | undefined;
  #fault: RecordFault | undefined;

  /** `arena` is for the tests, which need small ones. */
  constructor(options: CsvToJsonOptions = {}, arena: Arena = arenaOf(options.engine)) {
    const { separator, columns, header, offset = 0, line } = options;
    this.#options = options;
    this.#separatorKnown = separator !== "auto";
    this.#dialect = dialectOf(options, separator === "auto" ? undefined : separator);
    this.#limits = {
      maxFieldBytes: limitOf("maxFieldBytes", options.maxFieldBytes ?? 16 * 1024 * 1024),
      maxRecordBytes: limitOf("maxRecordBytes", options.maxRecordBytes ?? 64 * 1024 * 1024),
    };
    if (columns === undefined && header === false) throw new RangeError("header: false needs columns");
    if (columns?.length === 0) throw new RangeError("columns must name at least one column");
    if (new Set(columns).size !== (columns?.length ?? 0)) throw new RangeError("columns names one column twice");
    this.#columns = columns;
    this.#allocate = options.allocate ?? Buffer.allocUnsafeSlow;
    this.#input = new CsvInput(offset, line ?? (offset === 0 ? 1 : undefined));
    this.#arena = arena;
  }

  /** Column names, once the first record has been read (at once when they were given). */
  get columns(): readonly string[] | undefined {
    return this.#columns;
  }

  /** The separator byte, once it is settled. */
  get separator(): number | undefined {
    return this.#separatorKnown ? this.#dialect.separator : undefined;
  }

  get offset(): number {
    return this.#input.offset;
  }

  get pending(): number {
    return this.#input.pending;
  }

  feed(bytes: Buffer, start = 0, end = bytes.length): void {
    this.#input.feed(bytes, start, end);
  }

  end(): void {
    this.#input.ended = true;
  }

  take(max: number): CsvSlab | undefined {
    if (this.#fault !== undefined) throw this.#fault;
    if (!this.#ready && !this.#prepare()) return undefined;
    if (this.#scanner === undefined) {
      const slab = this.#convert(Math.max(1, Math.min(max, MAX_SLOTS)));
      if (slab !== undefined) return slab;
      if (this.#fault !== undefined) throw this.#fault;
    }
    if (this.#scanner !== undefined) return this.#convertLarge(this.#scanner);
    this.#input.gather();
    return undefined;
  }

  /** Reads what stands before the first data record: byte-order mark, header. False while more input is needed. */
  #prepare(): boolean {
    const input = this.#input;
    let bytes = input.gather();
    if (bytes.length === 0) return false;
    if (input.offset === 0) {
      if (bytes.length < 3 && !input.ended && (bytes[0] === 0xef || bytes[0]! >= 0xfe)) return false;
      const bom = detectBom(bytes);
      if (bom === "utf-8") input.consume(3, 0);
      else if (bom !== undefined) throw this.#fail(new RecordFault("utf16", { offset: 0 }));
      bytes = input.gather();
    }
    if (!this.#separatorKnown) {
      this.#separatorScan ??= new SeparatorScan(this.#dialect);
      const separator = this.#separatorScan.scan(bytes, input.ended);
      if (separator !== undefined) {
        this.#dialect = dialectOf(this.#options, separator);
        this.#separatorKnown = true;
        this.#first = undefined;
      }
    }
    // Also when the separator is open still: the limits hold for the first record too.
    if (this.#options.header !== false || !this.#separatorKnown) {
      const record = this.#firstRecord(bytes);
      if (record === undefined && input.ended) input.consume(bytes.length, countLines(bytes, 0, bytes.length));
      if (record === undefined || !this.#separatorKnown) return false;
      if (this.#options.header !== false) {
        this.#columns ??= uniqueNames(splitFields(bytes.subarray(record.start, record.end), this.#dialect));
        input.consume(record.end, countLines(bytes, 0, record.end));
      }
    }
    const keys = new CsvKeys(this.#columns!);
    this.#loop = {
      ...this.#limits,
      dialect: this.#dialect,
      keys,
      fillShort: this.#options.shortRows !== "omit",
      listRagged: this.#options.listRagged === true,
    };
    if (keys.size > this.#arena.layout.keysSize) {
      this.#arena = privateArena(new Layout({ keys: keys.size, output: 4 * 1024 * 1024 + 4 * keys.size }));
    }
    this.#ready = true;
    this.#separatorScan = undefined;
    this.#first = undefined;
    return true;
  }

  #firstRecord(bytes: Buffer): { start: number; end: number } | undefined {
    try {
      this.#first ??= new FirstRecord(this.#dialect, this.#limits);
      return this.#first.find(bytes, this.#input.ended);
    } catch (error) {
      throw this.#failWithin(error, bytes);
    }
  }

  /** Converts what fits the arena. Leaves `#fault` or `#scanner` set when that is what stopped it. */
  #convert(max: number): CsvSlab | undefined {
    const arena = this.#arena;
    const { layout, loops, words } = arena;
    const input = this.#input;
    const outLimit = layout.output + layout.outputSize - this.#loop!.keys.slack;
    const slab = new SlabBuilder(input.offset);
    this.#claim();
    for (;;) {
      words[CFG.inBase] = input.from - (input.offset - slab.base);
      words[CFG.outBase] = layout.output;
      words[CFG.ragged] = layout.ragged + slab.ragged.length * RAGGED_WORDS * 4;
      const out = layout.output + slab.bytes;
      const slot = layout.slots + slab.count * 4;
      const final = input.ended && input.loadedAll() ? 1 : 0;
      let got = loops.csv(input.from, input.to, out, outLimit, slot, max - slab.count, final);
      let status = words[RES.status]!;
      let consumed = words[RES.consumed]!;
      const fault = words[RES.fault]!;
      this.#listRagged(slab);
      if (!isUtf8(arena.memory.subarray(input.from, input.from + consumed))) {
        const repaired = this.#convertRepaired(slab, got, consumed, outLimit);
        if (repaired < got) {
          status = STATUS.outputFull;
          const after = repaired === 0 ? 0 : words[(slot + 2 * SLOT_STRIDE) / 4 + repaired - 1]!;
          consumed = repaired === 0 ? 0 : after - (input.offset - slab.base);
          got = repaired;
        }
      }
      slab.add(got, words[RES.written]!, words[RES.short]!, words[RES.long]!);
      input.consume(consumed, words[RES.lines]!);
      input.from += consumed;
      if (status !== STATUS.inputUsed) {
        if (slab.count > 0 || status === STATUS.maxReached) break;
        if (status === STATUS.outputFull) this.#beginLarge();
        else this.#failAt(status, input.from - consumed + fault);
        break;
      }
      if (arena.owner !== this) this.#claim();
      else if (input.loadedAll()) break;
      else if (!input.load(arena)) {
        if (slab.count === 0) this.#beginLarge();
        break;
      }
    }
    return slab.count === 0 ? undefined : slab.finish(arena, this.#allocate);
  }

  /** Makes the arena this reader's own: configuration, keys, and the first piece of input. */
  #claim(): void {
    const arena = this.#arena;
    if (arena.owner === this) return;
    configureCsv(arena, this.#loop!);
    arena.owner = this;
    this.#input.unload(arena);
    this.#input.load(arena);
  }

  /** Takes over the rows that the loop has listed in its last run. */
  #listRagged(slab: SlabBuilder): void {
    if (this.#options.listRagged !== true) return;
    const { memory, words } = this.#arena;
    const input = this.#input;
    const toAddress = input.from - (input.offset - slab.base);
    let at = words[CFG.ragged]! / 4;
    for (let left = words[RES.ragged]!; left > 0; left--, at += RAGGED_WORDS) {
      const start = words[at + 1]! + toAddress;
      const end = withoutDelimiter(memory, start, words[at + 2]! + toAddress, this.#dialect);
      slab.ragged.push({
        index: slab.count + words[at]!,
        fields: words[at + 3]!,
        offset: slab.base + words[at + 1]!,
        line: input.line === undefined ? undefined : input.line + words[at + 4]!,
        raw: Buffer.from(memory.subarray(start, end)),
      });
    }
  }

  /**
   * The last run met ill-formed UTF-8: converts its records once more from repaired text, in the same place. Where
   * records end in the input stays as the first run saw it. Returns how many fitted; the arena must be claimed anew.
   */
  #convertRepaired(slab: SlabBuilder, got: number, consumed: number, outLimit: number): number {
    const arena = this.#arena;
    const { memory, words, layout } = arena;
    const input = this.#input;
    const out = layout.output + slab.bytes;
    const slot = layout.slots + slab.count * 4;
    const afterAt = (slot + 2 * SLOT_STRIDE) / 4;
    const after = words.slice(afterAt, afterAt + got);
    const before = input.offset - slab.base;
    // One ill-formed byte becomes three.
    let some = got;
    while (some > 0 && (after[some - 1]! - before) * 3 > layout.inputSize) some--;
    const size = some === got ? consumed : some === 0 ? 0 : after[some - 1]! - before;
    const text = Buffer.from(memory.toString("utf8", input.from, input.from + size));
    text.copy(memory, layout.input);
    arena.owner = undefined;
    words[CFG.flags]! &= ~FLAG.listRagged;
    words[CFG.maxField] = NO_LIMIT;
    words[CFG.maxRecord] = NO_LIMIT;
    const fitted = arena.loops.csv(layout.input, layout.input + text.length, out, outLimit, slot, got + 1, 1);
    if (fitted < got) {
      // Blank records behind the last one that fitted are not consumed, so their lines do not count.
      const end = fitted === 0 ? layout.input : (words[afterAt + fitted - 1]! + words[CFG.inBase]!) >>> 0;
      words[RES.lines] = countLines(memory, layout.input, end);
    }
    words.set(after.subarray(0, fitted), afterAt);
    while ((slab.ragged.at(-1)?.index ?? -1) >= slab.count + fitted) slab.ragged.pop();
    return fitted;
  }

  /** The next record does not fit the arena: from here on it grows in the input until its end is found. */
  #beginLarge(): void {
    this.#scanner = new CsvScanner(this.#dialect, this.#limits);
    if (this.#arena.owner === this) this.#arena.owner = undefined;
  }

  #convertLarge(scanner: CsvScanner): CsvSlab | undefined {
    const input = this.#input;
    let bytes = input.gather(this.#limits.maxRecordBytes);
    let end = this.#scan(scanner, bytes);
    while (end > 0 && withoutDelimiter(bytes, 0, end, this.#dialect) === 0) {
      // A blank record came first after all.
      input.consume(end, countLines(bytes, 0, end));
      bytes = input.gather();
      scanner.reset();
      end = bytes.length === 0 ? -1 : this.#scan(scanner, bytes);
    }
    if (end <= 0) return undefined;
    const raw = bytes.subarray(0, end);
    const record = convertRecord(isUtf8(raw) ? raw : Buffer.from(raw.toString("utf8")), this.#loop!);
    const slab = new SlabBuilder(input.offset);
    slab.add(1, record.json.length, record.short, record.long);
    if (this.#options.listRagged === true && record.short + record.long > 0) {
      const { offset, line } = input;
      const text = Buffer.from(raw.subarray(0, withoutDelimiter(raw, 0, end, this.#dialect)));
      slab.ragged.push({ index: 0, fields: record.fields, offset, line, raw: text });
    }
    input.consume(end, countLines(raw, 0, end));
    this.#scanner = undefined;
    return slab.finishOne(record.json, end);
  }

  #scan(scanner: CsvScanner, bytes: Buffer): number {
    try {
      return scanner.scan(bytes, this.#input.ended);
    } catch (error) {
      throw this.#failWithin(error, bytes);
    }
  }

  /** A fault that the loop has met, at an address of the arena. */
  #failAt(status: number, address: number): void {
    const { memory } = this.#arena;
    const input = this.#input;
    const at = status === STATUS.recordTooLong ? input.from : address;
    const place = {
      offset: input.offset + at - input.from,
      line: input.line === undefined ? undefined : input.line + countLines(memory, input.from, at),
      quoted: memory[at] === this.#dialect.quote,
    };
    if (status === STATUS.unterminatedQuote) this.#fail(new RecordFault("unterminated_quote", place));
    else if (status === STATUS.fieldTooLong) {
      this.#fail(new RecordFault("field_too_long", { ...place, limit: this.#limits.maxFieldBytes }));
    } else this.#fail(new RecordFault("record_too_long", { ...place, limit: this.#limits.maxRecordBytes }));
  }

  /** A fault within `bytes`, which begin at the input's offset. */
  #failWithin(error: unknown, bytes: Buffer): unknown {
    if (!isRecordFault(error)) return error;
    const { offset, line } = this.#input;
    return this.#fail(error.moved(offset, line === undefined ? undefined : line + countLines(bytes, 0, error.offset)));
  }

  #fail(fault: RecordFault): RecordFault {
    this.#fault = fault;
    return fault;
  }
}

function dialectOf(options: CsvToJsonOptions, separator: number | undefined): ResolvedDialect {
  const { quote, escape: escapeByte, delimiter } = options;
  return resolveDialect({
    ...(separator === undefined ? {} : { separator }),
    ...(quote === undefined ? {} : { quote }),
    ...(escapeByte === undefined ? {} : { escape: escapeByte }),
    ...(delimiter === undefined ? {} : { delimiter }),
  });
}

function limitOf(name: string, bytes: number): number {
  if (!Number.isSafeInteger(bytes) || bytes < 1)
    throw new RangeError(`${name} must be a positive number of bytes, not ${bytes}`);
  return bytes;
}
