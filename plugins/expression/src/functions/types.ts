import { cannot } from "../errors.ts";
import { numberFromText, numberText } from "../number/text.ts";
import { isList, isNumber, isObject, typeName, type Value } from "../value.ts";
import type { ZenFunction } from "./arguments.ts";

const one = (compute: (value: Value) => Value): ZenFunction => ({
  inputs: [1, 1],
  call: ([value]) => compute(value ?? null),
});

export const TYPES: Readonly<Record<string, ZenFunction>> = {
  type: one(typeName),
  number: one(toNumber),
  string: one(toText),
  bool: one(toBool),
  isNumeric: one((value) => isNumber(value) || (typeof value === "string" && numberFromText(value) !== undefined)),
  keys: one(keys),
  values: one((value) => {
    if (isObject(value)) return [...value.values()];
    throw cannot(`values: a ${typeName(value)} has no values`);
  }),
};

function toNumber(value: Value): Value {
  if (isNumber(value)) return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") throw cannot(`number: a ${typeName(value)} cannot be a number`);
  const number = numberFromText(value);
  if (number === undefined) throw cannot("number: invalid number");
  return number;
}

/** How a value reads in a text; also what templates put in. */
export function toText(value: Value): string {
  if (typeof value === "string") return value;
  if (isNumber(value)) return numberText(value);
  if (value === null || typeof value === "boolean") return String(value);
  throw cannot(`string: a ${typeName(value)} cannot be a string`);
}

function toBool(value: Value): boolean {
  if (value === null) return false;
  if (typeof value === "boolean") return value;
  if (isNumber(value)) return value !== 0;
  if (typeof value === "string") return value === "" || value.trim() === "true";
  return true;
}

function keys(value: Value): Value {
  if (isObject(value)) return [...value.keys()];
  if (isList(value)) return value.map((_, index) => index);
  throw cannot(`keys: a ${typeName(value)} has no keys`);
}
