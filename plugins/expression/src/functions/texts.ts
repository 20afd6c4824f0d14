import { RE2JS, RE2JSSyntaxException } from "re2js";
import { cannot } from "../errors.ts";
import { isEqual, isList, typeName, type Value } from "../value.ts";
import { type Steps, textAt, type ZenFunction } from "./arguments.ts";

const one = (compute: (text: string) => Value): ZenFunction => ({
  inputs: [1, 1],
  call: (inputs) => compute(textAt(inputs, 0)),
});
const two = (compute: (text: string, other: string) => Value): ZenFunction => ({
  inputs: [2, 2],
  call: (inputs) => compute(textAt(inputs, 0), textAt(inputs, 1)),
});

export const TEXTS: Readonly<Record<string, ZenFunction>> = {
  upper: one((text) => text.toUpperCase()),
  lower: one((text) => text.toLowerCase()),
  trim: one((text) => text.trim()),
  startsWith: two((text, start) => text.startsWith(start)),
  endsWith: two((text, end) => text.endsWith(end)),
  split: two((text, separator) => (separator === "" ? ["", ...text, ""] : text.split(separator))),
  matches: withPattern((text, pattern) => pattern.matcher(text).find()),
  extract: withPattern(extract),
  contains: { inputs: [2, 2], call: ([of, part]) => contains(of ?? null, part ?? null) },
  fuzzyMatch: { inputs: [2, 2], call: fuzzyMatch },
  len: { inputs: [1, 1], call: ([of]) => length(of ?? null) },
};

function length(of: Value): number {
  if (typeof of === "string") return Buffer.byteLength(of);
  if (isList(of)) return of.length;
  throw cannot(`len: a ${typeName(of)} has no length`);
}

function contains(of: Value, part: Value): boolean {
  if (typeof of === "string" && typeof part === "string") return of.includes(part);
  if (isList(of)) return of.some((item) => isEqual(item, part));
  throw cannot(`contains: not for ${typeName(of)} and ${typeName(part)}`);
}

/** The whole match and its groups; what a group did not match is left out. */
function extract(text: string, pattern: RE2JS): Value {
  const matcher = pattern.matcher(text);
  if (!matcher.find()) return [];
  const groups: Value[] = [];
  for (let group = 0; group <= matcher.groupCount(); group++) {
    const part = matcher.group(group);
    if (part !== null && part !== undefined) groups.push(part);
  }
  return groups;
}

/** A function of a text and a pattern, which is usually constant. RE2 runs in linear time, whatever the text. */
function withPattern(compute: (text: string, pattern: RE2JS) => Value): ZenFunction {
  return {
    inputs: [2, 2],
    call: (inputs) => compute(textAt(inputs, 0), compiled(textAt(inputs, 1))),
    prepare([, constant]) {
      if (typeof constant !== "string") return this.call;
      const pattern = compiled(constant);
      return (inputs) => compute(textAt(inputs, 0), pattern);
    },
  };
}

function compiled(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    throw cannot("invalid regular expression");
  }
}

const MAX_FUZZY = 1000;
const CELLS_PER_STEP = 10;

/** How alike texts are, 0 to 1, by the edits that lead from one to the other. A list gives one figure for each item. */
function fuzzyMatch(inputs: readonly Value[], steps: Steps): Value {
  const other = textAt(inputs, 1);
  const [of = null] = inputs;
  if (isList(of)) return of.map((_, index) => likeness(textAt(of, index), other, steps));
  return likeness(textAt(inputs, 0), other, steps);
}

function likeness(a: string, b: string, steps: Steps): number {
  const [x, y] = [[...a], [...b]];
  const longest = Math.max(x.length, y.length);
  steps.step(Math.ceil((x.length * y.length) / CELLS_PER_STEP));
  if (longest > MAX_FUZZY) throw cannot(`fuzzyMatch: a text has more than ${MAX_FUZZY} characters`);
  return longest === 0 ? 1 : Number((1 - edits(x, y) / longest).toPrecision(15));
}

/** Damerau-Levenshtein distance, where no part is changed twice. */
function edits(a: readonly string[], b: readonly string[]): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, before[j - 2]! + 1);
      next.push(best);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
