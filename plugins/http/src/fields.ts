import * as z from "zod";

/** The longest time that a timer of JavaScript takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface FieldMeta {
  readonly description: string;
  readonly examples?: unknown[];
  readonly "x-mqb-side"?: "input" | "output";
}

/** A field that may be left out or null and is then `fallback`. */
export function field<S extends z.ZodType, F extends z.output<S>>(schema: S, fallback: F, meta: FieldMeta) {
  return schema
    .nullish()
    .meta({ default: fallback, ...meta })
    .transform((value): z.output<S> => value ?? fallback);
}

export function integer(min: number, max = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = `expected an integer ${range}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export function milliseconds(min = 0) {
  return integer(min, MAX_TIMER_MS);
}
