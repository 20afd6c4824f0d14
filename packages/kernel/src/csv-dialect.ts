/** How fields and records are told apart. Bytes are given as numbers. */
export interface CsvDialect {
  /** Separator byte; default 44 (`,`). Not LF, CR, a byte above 127 or the quote. */
  readonly separator?: number;
  /** Quote byte; default 34 (`"`); `null` = quotes mean nothing. Special only as the first byte of a field. */
  readonly quote?: number | null;
  /**
   * Inside quotes, this byte takes the next byte literally (`\"`, `\\`). Default none: only doubled quotes. Doubled
   * quotes stay understood beside it.
   */
  readonly escape?: number;
  /**
   * What ends a record; 1 to 16 bytes. Default LF, with one CR before it dropped; any other value is matched exactly,
   * and LF and CR are then ordinary bytes.
   */
  readonly delimiter?: Uint8Array;
}

/** A dialect with every default filled in and checked. */
export interface ResolvedDialect {
  readonly separator: number;
  /** 256 when there is none, so that no byte equals it. */
  readonly quote: number;
  /** 256 when there is none. */
  readonly escape: number;
  readonly delimiter: Buffer;
  /** The delimiter is LF: CR before it is dropped. */
  readonly lines: boolean;
}

export const NO_BYTE = 256;
const LF = 10;
const CR = 13;
const MAX_DELIMITER = 16;

/** Fills in the defaults. Throws a RangeError that names what does not fit; the caller's configuration error comes first. */
export function resolveDialect(dialect: CsvDialect): ResolvedDialect {
  const separator = plainByte("separator", dialect.separator ?? 44);
  const quote = dialect.quote === null ? NO_BYTE : plainByte("quote", dialect.quote ?? 34);
  const escapeByte = dialect.escape === undefined ? NO_BYTE : plainByte("escape", dialect.escape);
  const delimiter = Buffer.from(dialect.delimiter ?? [LF]);
  if (separator === quote) throw new RangeError("separator and quote are the same byte");
  if (separator === escapeByte) throw new RangeError("separator and escape are the same byte");
  if (escapeByte !== NO_BYTE && quote === NO_BYTE) throw new RangeError("escape needs a quote");
  if (delimiter.length === 0 || delimiter.length > MAX_DELIMITER)
    throw new RangeError("delimiter must have 1 to 16 bytes");
  for (const byte of [separator, quote, escapeByte]) {
    if (delimiter.includes(byte) && byte !== NO_BYTE)
      throw new RangeError("delimiter contains the separator, the quote or the escape byte");
  }
  // An escape equal to the quote is the ordinary doubling.
  const ownEscape = escapeByte === quote ? NO_BYTE : escapeByte;
  return { separator, quote, escape: ownEscape, delimiter, lines: delimiter.length === 1 && delimiter[0] === LF };
}

function plainByte(name: string, value: number): number {
  if (!Number.isInteger(value) || value < 0 || value > 127 || value === LF || value === CR)
    throw new RangeError(`${name} must be an ASCII byte other than LF and CR, not ${value}`);
  return value;
}
