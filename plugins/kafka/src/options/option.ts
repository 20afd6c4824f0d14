/** How an option of librdkafka is understood here. `T` collects what the options say. */
export type Option<T> =
  | { readonly take: (value: string, into: T) => string | undefined }
  /** Cannot be honoured: why, and what to do instead. */
  | { readonly refused: string }
  /** Changes nothing here and loses nothing: why. */
  | { readonly idle: string };

export type OptionTable<T> = Readonly<Record<string, Option<T>>>;

export interface OptionProblem {
  /** Position in the list. */
  readonly index: number;
  readonly level: "error" | "note";
  readonly message: string;
}

export type OptionList = readonly (readonly [name: string, value: string])[];

/** Reads a list of options; later ones win. A name that no table has is refused. */
export function readOptions<T>(
  list: OptionList | null | undefined,
  tables: readonly OptionTable<T>[],
  into: T,
): readonly OptionProblem[] {
  const problems: OptionProblem[] = [];
  for (const [index, [name, value]] of (list ?? []).entries()) {
    const option = tables.map((table) => own(table, name)).find((found) => found !== undefined);
    const error = (message: string): unknown => problems.push({ index, level: "error", message });
    if (!option) error(`"${name}" is not an option that this endpoint knows`);
    else if ("refused" in option) error(`"${name}" cannot be set: ${option.refused}`);
    else if ("idle" in option)
      problems.push({ index, level: "note", message: `"${name}" changes nothing: ${option.idle}` });
    else {
      const reason = option.take(value, into);
      if (reason !== undefined) error(`"${name}" cannot be "${value}": ${reason}`);
    }
  }
  return problems;
}

function own<T>(table: OptionTable<T>, name: string): Option<T> | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** A whole number in a range. */
export function number<T>(least: number, most: number, set: (into: T, value: number) => void): Option<T> {
  return {
    take(text, into) {
      const value = Number(text);
      if (!/^-?\d+$/.test(text) || value < least || value > most) return `a number from ${least} to ${most} is needed`;
      set(into, value);
      return undefined;
    },
  };
}

export function flag<T>(set: (into: T, value: boolean) => void): Option<T> {
  return {
    take(text, into) {
      const value = FLAGS.get(text.toLowerCase());
      if (value === undefined) return "true or false is needed";
      set(into, value);
      return undefined;
    },
  };
}

/** One of several words; `set` gets what the word stands for. */
export function choice<T, V>(words: Readonly<Record<string, V>>, set: (into: T, value: V) => void): Option<T> {
  return {
    take(text, into) {
      const word = text.toLowerCase();
      if (!Object.hasOwn(words, word)) return `${Object.keys(words).join(", ")} can be said`;
      set(into, words[word] as V);
      return undefined;
    },
  };
}

/** A setting that has one value only. */
export function fixed<T>(value: string, why: string): Option<T> {
  return { take: (text) => (text.toLowerCase() === value ? undefined : `it is always ${value}: ${why}`) };
}

const FLAGS = new Map([
  ["true", true],
  ["t", true],
  ["1", true],
  ["false", false],
  ["f", false],
  ["0", false],
]);
