import { isJsonArray, isJsonObject, JsonNumber, type JsonValue } from "@mqb/json";
import { Moment } from "./dates/moment.ts";
import { compare, toDouble } from "./number/arithmetic.ts";
import { Decimal, type ZenNumber } from "./number/decimal.ts";
import { exactNumberText, jsonNumberText, readNumberText } from "./number/text.ts";

/** What an expression computes with. Objects keep the order of their members. */
export type Value =
  | null
  | boolean
  | string
  | ZenNumber
  | readonly Value[]
  | ReadonlyMap<string, Value>
  | Interval
  | Moment;

/** A range of numbers, or of times by their Unix milliseconds. */
export class Interval {
  readonly from: ZenNumber;
  readonly to: ZenNumber;
  readonly closed: readonly [boolean, boolean];
  readonly times: boolean;

  constructor(from: ZenNumber, to: ZenNumber, closed: readonly [boolean, boolean], times = false) {
    this.from = from;
    this.to = to;
    this.closed = closed;
    this.times = times;
  }

  has(value: ZenNumber): boolean {
    const [low, high] = [compare(value, this.from), compare(value, this.to)];
    return (low > 0 || (low === 0 && this.closed[0])) && (high < 0 || (high === 0 && this.closed[1]));
  }

  toString(): string {
    const [open, close] = [this.closed[0] ? "[" : "(", this.closed[1] ? "]" : ")"];
    const shown = (end: ZenNumber): string => (this.times ? String(new Moment(toDouble(end))) : jsonNumberText(end));
    return `${open}${shown(this.from)}..${shown(this.to)}${close}`;
  }
}

export function isNumber(value: Value): value is ZenNumber {
  return typeof value === "number" || value instanceof Decimal;
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isObject(value: Value): value is ReadonlyMap<string, Value> {
  return value instanceof Map;
}

/** As `type()` names it. */
export function typeName(value: Value): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  if (isNumber(value)) return "number";
  if (isList(value)) return "array";
  if (isObject(value)) return "object";
  return value instanceof Interval ? "interval" : "date";
}

/** `==` of the language: of equal type and value. Lists and objects are never equal. */
export function isEqual(a: Value, b: Value): boolean {
  if (a === b) return a === null || typeof a !== "object";
  if (isNumber(a) && isNumber(b)) return compare(a, b) === 0;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  return "epoch" in a && "epoch" in b && a.epoch === b.epoch;
}

export function fromJson(value: JsonValue): Value {
  if (value instanceof JsonNumber) return readNumberText(value.text);
  if (isJsonArray(value)) return value.map(fromJson);
  if (isJsonObject(value)) return new Map([...value].map(([key, item]) => [key, fromJson(item)]));
  return value;
}

/** JSON without blanks, as messages carry it. A range is a text. */
export function toJson(value: Value): string {
  return jsonOf(value, jsonNumberText);
}

/** The same with every digit of a computed number, so that `fromJson` gives the value again. */
export function toExactJson(value: Value): string {
  return jsonOf(value, exactNumberText);
}

function jsonOf(value: Value, number: (value: ZenNumber) => string): string {
  if (isNumber(value)) return number(value);
  if (isList(value)) return `[${value.map((item) => jsonOf(item, number)).join(",")}]`;
  if (isObject(value))
    return `{${[...value].map(([key, item]) => `${JSON.stringify(key)}:${jsonOf(item, number)}`).join(",")}}`;
  return JSON.stringify(value instanceof Interval || (typeof value === "object" && value) ? String(value) : value);
}
