import { cannot } from "../errors.ts";
import type { ZenNumber } from "../number/decimal.ts";
import { isList, isNumber, typeName, type Value } from "../value.ts";

/** Counts work, and throws when one message has made too much of it. */
export interface Steps {
  step(count?: number): void;
}

/** A function of the language: checked inputs are the caller's, types are its own. */
export interface ZenFunction {
  /** How many inputs it takes at least and at most. */
  readonly inputs: readonly [number, number];
  readonly call: (inputs: readonly Value[], steps: Steps) => Value;
  /** Makes a `call` that has done once what depends on constant inputs only; undefined stands for what is not constant. */
  readonly prepare?: (constants: readonly (Value | undefined)[]) => ZenFunction["call"];
}

export function textAt(inputs: readonly Value[], index: number): string {
  const value = inputs[index] ?? null;
  if (typeof value === "string") return value;
  throw cannot(`argument ${index} is a ${typeName(value)}, not a string`);
}

export function numberAt(inputs: readonly Value[], index: number): ZenNumber {
  const value = inputs[index] ?? null;
  if (isNumber(value)) return value;
  throw cannot(`argument ${index} is a ${typeName(value)}, not a number`);
}

export function listAt(inputs: readonly Value[], index: number): readonly Value[] {
  const value = inputs[index] ?? null;
  if (isList(value)) return value;
  throw cannot(`argument ${index} is a ${typeName(value)}, not an array`);
}

export function numbersAt(inputs: readonly Value[], index: number): ZenNumber[] {
  return listAt(inputs, index).map((item) => {
    if (isNumber(item)) return item;
    throw cannot("expected an array of numbers");
  });
}
