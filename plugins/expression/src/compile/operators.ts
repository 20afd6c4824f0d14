import { Moment } from "../dates/moment.ts";
import { cannot } from "../errors.ts";
import { add, compare, divide, modulo, multiply, power, subtract } from "../number/arithmetic.ts";
import { Interval, isEqual, isList, isNumber, isObject, type Value } from "../value.ts";

export type Operator = (left: Value, right: Value) => Value;

/** Operators that look at both sides. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  "==": isEqual,
  "!=": (left, right) => !isEqual(left, right),
  "<": (left, right) => order(left, right) < 0,
  ">": (left, right) => order(left, right) > 0,
  "<=": (left, right) => order(left, right) <= 0,
  ">=": (left, right) => order(left, right) >= 0,
  in: isIn,
  "not in": (left, right) => !isIn(left, right),
  "+": plus,
  "-": arithmetic("Subtract", subtract),
  "*": arithmetic("Multiply", multiply),
  "/": arithmetic("Divide", divide),
  "%": arithmetic("Modulo", modulo),
  "^": arithmetic("Exponent", power),
};

export function unsupported(what: string): Error {
  return cannot(`${what}: unsupported type`);
}

function arithmetic(what: string, compute: (a: never, b: never) => Value): Operator {
  return (left, right) => {
    if (isNumber(left) && isNumber(right)) return compute(left as never, right as never);
    throw unsupported(what);
  };
}

function plus(left: Value, right: Value): Value {
  if (typeof left === "string" && typeof right === "string") return left + right;
  if (isNumber(left) && isNumber(right)) return add(left, right);
  throw unsupported("Add");
}

export function order(left: Value, right: Value): number {
  if (isNumber(left) && isNumber(right)) return compare(left, right);
  if (left instanceof Moment && right instanceof Moment) return left.epoch - right.epoch;
  throw unsupported("Compare");
}

function isIn(value: Value, container: Value): boolean {
  if (isList(container)) return container.some((item) => isEqual(item, value));
  if (container instanceof Interval) {
    if (container.times && value instanceof Moment) return container.has(value.epoch);
    if (!container.times && isNumber(value)) return container.has(value);
  }
  if (isObject(container) && typeof value === "string") return container.has(value);
  throw unsupported("In");
}
