/** What went in, and what is to be said of what came out. Knows rows only: no system and no client. */

/** How many keys the rows have; a row's key follows from its number. */
export const KEYS = 7;

/** Which order the sink must have: of everything, of the rows of a key, none. */
export type Order = "all" | "key" | "none";

/** What a campaign finds in the sink, by row. A row that comes again counts once for each further time. */
export interface Tally {
  readonly rows: number;
  readonly lost: number;
  readonly doubled: number;
  /** Lines that nobody has put in: of another number, or changed. */
  readonly foreign: number;
  /** First arrivals that stand behind a younger row of their order. */
  readonly reordered: number;
  /** A few of each, for the report. */
  readonly examples: readonly string[];
}

const EXAMPLES = 5;
const FILLER = "abcdefghij";

export function keyOf(n: number): string {
  return `key-${n % KEYS}`;
}

/** The payload of row `n`; of another length for each. */
export function rowText(n: number): string {
  return `{"n":${n},"key":"${keyOf(n)}","text":"${FILLER.repeat(1 + (n % 20))}"}`;
}

/** The number of a row, or undefined for a text that is no row, to the last byte. */
export function rowNumber(text: string): number | undefined {
  const n = Number(/^\{"n":(\d+),/.exec(text)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(n) && rowText(n) === text ? n : undefined;
}

/** Compares what has arrived, in its order, with rows 0 to `rows` - 1, each of which was put in. */
export function judge(rows: number, arrivals: Iterable<string>, order: Order): Tally {
  const times = new Uint32Array(rows);
  const youngest = new Map<string, number>();
  const examples: string[] = [];
  const count = { foreign: 0, reordered: 0 };
  const note = (kind: keyof typeof count, what: string): void => {
    if (++count[kind] <= EXAMPLES) examples.push(`${kind}: ${what}`);
  };
  for (const text of arrivals) {
    const n = rowNumber(text);
    if (n === undefined || n >= rows) {
      note("foreign", JSON.stringify(text.slice(0, 80)));
      continue;
    }
    if (times[n]!++ > 0 || order === "none") continue;
    const lane = order === "all" ? "" : keyOf(n);
    const last = youngest.get(lane) ?? -1;
    if (n < last) note("reordered", `${n} behind ${last}`);
    else youngest.set(lane, n);
  }
  let lost = 0;
  let doubled = 0;
  for (const [n, seen] of times.entries()) {
    if (seen === 0 && ++lost <= EXAMPLES) examples.push(`lost: ${n}`);
    doubled += Math.max(0, seen - 1);
  }
  return { rows, lost, doubled, ...count, examples };
}
