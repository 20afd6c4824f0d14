import { type Arena, privateArena } from "./arena.ts";
import type { ResolvedDialect } from "./csv-dialect.ts";
import type { CsvKeys } from "./csv-keys.ts";
import { CFG, DELIMITER, FLAG, Layout, RES, STATUS } from "./layout.ts";

/** What the CSV loop is told besides the input. */
export interface CsvLoopConfig {
  readonly dialect: ResolvedDialect;
  readonly keys: CsvKeys;
  readonly fillShort: boolean;
  readonly listRagged: boolean;
  readonly maxFieldBytes: number;
  readonly maxRecordBytes: number;
}

/** What stands for no limit; sums of it and a delimiter's length still fit 32 bits. */
export const NO_LIMIT = 0x7fff_ffff;

/** Writes the configuration and the keys into an arena. */
export function configureCsv(arena: Arena, config: CsvLoopConfig): void {
  const { memory, words, layout } = arena;
  const { dialect } = config;
  config.keys.load(arena);
  words[CFG.separator] = dialect.separator;
  words[CFG.quote] = dialect.quote;
  words[CFG.escape] = dialect.escape;
  words[CFG.flags] =
    (config.fillShort ? FLAG.fillShort : 0) |
    (config.listRagged ? FLAG.listRagged : 0) |
    (dialect.lines ? FLAG.dropCr : 0);
  words[CFG.maxField] = Math.min(config.maxFieldBytes, NO_LIMIT);
  words[CFG.maxRecord] = Math.min(config.maxRecordBytes, NO_LIMIT);
  words[CFG.delimiterLength] = dialect.delimiter.length;
  dialect.delimiter.copy(memory, DELIMITER);
  words[CFG.raggedEnd] = layout.ragged + layout.raggedSize;
}

export interface ConvertedRecord {
  /** The JSON object and an LF; the caller's. */
  readonly json: Buffer;
  readonly short: number;
  readonly long: number;
  readonly fields: number;
}

/** Converts one whole record of any size on the JavaScript heap. The limits have been checked by who found its end. */
export function convertRecord(record: Buffer, config: CsvLoopConfig): ConvertedRecord {
  let output = Math.ceil(record.length * 1.25) + config.keys.size + 2 * config.keys.slack;
  for (;;) {
    const layout = new Layout({ keys: config.keys.size, input: record.length, output, scratch: 0 });
    const arena = privateArena(layout);
    configureCsv(arena, { ...config, listRagged: true, maxFieldBytes: NO_LIMIT, maxRecordBytes: NO_LIMIT });
    const { memory, words } = arena;
    words[CFG.inBase] = layout.input;
    words[CFG.outBase] = layout.output;
    words[CFG.ragged] = layout.ragged;
    record.copy(memory, layout.input);
    const end = layout.input + record.length;
    arena.loops.csv(layout.input, end, layout.output, layout.output + output - config.keys.slack, layout.slots, 1, 1);
    if (words[RES.status] === STATUS.outputFull) {
      // Six bytes for one is the most that an escape makes.
      output = output > 3 * record.length ? output * 2 : 6 * record.length + output;
      continue;
    }
    const json = memory.subarray(layout.output, layout.output + words[RES.written]!);
    return {
      json: Buffer.from(json),
      short: words[RES.short]!,
      long: words[RES.long]!,
      fields: words[RES.ragged] === 0 ? config.keys.count : words[layout.ragged / 4 + 3]!,
    };
  }
}
