import { roundTo, toDouble } from "../number/arithmetic.ts";
import { Decimal } from "../number/decimal.ts";
import { Interval, isList, type Value } from "../value.ts";
import type { Code, Frame } from "./frame.ts";
import { unsupported } from "./operators.ts";

type Loop = (items: readonly Value[], inside: Code, frame: Frame) => Value;

/** Functions that compute their second input for every element of the first, which is `#` in it. */
export const LOOPS: Readonly<Record<string, Loop>> = {
  map: (items, inside, frame) => items.map((item) => within(item, inside, frame)),
  flatMap: (items, inside, frame) => {
    const found = items.map((item) => within(item, inside, frame));
    return found.flatMap((one) => (isList(one) ? one : [one]));
  },
  filter: (items, inside, frame) => items.filter((item) => holds(item, inside, frame)),
  some: (items, inside, frame) => items.some((item) => holds(item, inside, frame)),
  all: (items, inside, frame) => items.every((item) => holds(item, inside, frame)),
  none: (items, inside, frame) => !items.some((item) => holds(item, inside, frame)),
  one: (items, inside, frame) => items.filter((item) => holds(item, inside, frame)).length === 1,
  count: (items, inside, frame) => items.filter((item) => holds(item, inside, frame)).length,
};

/** The elements of a list, or the whole numbers of a range. */
export function elementsOf(value: Value, frame: Frame): readonly Value[] {
  if (isList(value)) return value;
  if (!(value instanceof Interval) || value.times) throw unsupported("Begin");
  const first = Math.trunc(toDouble(value.from)) + (value.closed[0] ? 0 : 1);
  const last = toDouble(roundTo(value.to, 0, "trunc")) - (value.closed[1] || value.to instanceof Decimal ? 0 : 1);
  const count = Math.max(0, Math.floor(last) - first + 1);
  // A range may name a billion numbers; they count before they are made.
  frame.step(count);
  return Array.from({ length: count }, (_, index) => first + index);
}

function within(item: Value, inside: Code, frame: Frame): Value {
  frame.step();
  frame.elements.push(item);
  const value = inside(frame);
  frame.elements.pop();
  return value;
}

function holds(item: Value, inside: Code, frame: Frame): boolean {
  const value = within(item, inside, frame);
  if (typeof value === "boolean") return value;
  throw unsupported("JumpIfFalse");
}
