import { wholeNumber } from "../exact.ts";

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);
/** Other texts are no number: most texts are told by that. */
const NUMBER_BEGINS = /^[-+.\d]/;
const INTEGER = /^[-+]?\d+$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;

/** What a text without quotes means in YAML 1.2 where no field says what it takes: nothing, true, false, a number, or itself. */
export function guessPlain(text: string): string | number | bigint | boolean | null {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (!NUMBER_BEGINS.test(text)) return text;
  if (INTEGER.test(text)) return wholeNumber(text);
  if (FLOAT.test(text)) return Number(text);
  return text;
}
