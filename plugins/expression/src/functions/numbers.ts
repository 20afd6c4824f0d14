import { Moment } from "../dates/moment.ts";
import { cannot } from "../errors.ts";
import { add, compare, divide, negate, roundTo } from "../number/arithmetic.ts";
import type { ZenNumber } from "../number/decimal.ts";
import { isNumber, type Value } from "../value.ts";
import { listAt, numberAt, numbersAt, type ZenFunction } from "./arguments.ts";

const one = (compute: (number: ZenNumber) => Value): ZenFunction => ({
  inputs: [1, 1],
  call: (inputs) => compute(numberAt(inputs, 0)),
});
const many = (compute: (numbers: ZenNumber[]) => Value): ZenFunction => ({
  inputs: [1, 1],
  call: (inputs) => compute(numbersAt(inputs, 0)),
});
const rounded = (how: "trunc" | "half"): ZenFunction => ({
  inputs: [1, 2],
  call: (inputs) => roundTo(numberAt(inputs, 0), inputs.length > 1 ? places(numberAt(inputs, 1)) : 0, how),
});

export const NUMBERS: Readonly<Record<string, ZenFunction>> = {
  abs: one((number) => (compare(number, 0) < 0 ? negate(number) : number)),
  floor: one((number) => roundTo(number, 0, "floor")),
  ceil: one((number) => roundTo(number, 0, "ceil")),
  round: rounded("half"),
  trunc: rounded("trunc"),
  sum: many((numbers) => numbers.reduce(add, 0)),
  avg: many((numbers) => divide(some(numbers).reduce(add, 0), numbers.length)),
  median: many(median),
  mode: many(mode),
  min: { inputs: [1, 1], call: (inputs) => extreme(inputs, -1) },
  max: { inputs: [1, 1], call: (inputs) => extreme(inputs, 1) },
  rand: one((number) => {
    const limit = typeof number === "number" ? Math.trunc(number) : 0;
    if (limit < 1) throw cannot("rand: takes a number of at least 1");
    return 1 + Math.floor(Math.random() * limit);
  }),
};

/** The least or greatest of numbers, or of times. */
function extreme(inputs: readonly Value[], sign: number): Value {
  const items = listAt(inputs, 0);
  if (items.length > 0 && items.every((item) => item instanceof Moment)) {
    return items.reduce((best, item) => ((item.epoch - best.epoch) * sign > 0 ? item : best));
  }
  return some(numbersAt(inputs, 0)).reduce((best, item) => (compare(item, best) * sign > 0 ? item : best));
}

function median(numbers: ZenNumber[]): Value {
  const sorted = some(numbers).toSorted(compare);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return divide(add(sorted[middle - 1]!, sorted[middle]!), 2);
}

/** The number that is there most often; of several the least. */
function mode(numbers: ZenNumber[]): Value {
  const sorted = some(numbers).toSorted(compare);
  let [best, most, run] = [sorted[0]!, 0, 0];
  for (const [index, number] of sorted.entries()) {
    run = index > 0 && compare(number, sorted[index - 1]!) === 0 ? run + 1 : 1;
    if (run > most) [best, most] = [number, run];
  }
  return best;
}

function some(numbers: ZenNumber[]): ZenNumber[] {
  if (numbers.length === 0) throw cannot("the array is empty");
  return numbers;
}

function places(number: Value): number {
  if (isNumber(number) && typeof number === "number" && Number.isInteger(number) && number >= 0) return number;
  throw cannot("the number of digits is not a whole number");
}
