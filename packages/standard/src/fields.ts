import * as z from "zod";

/** The longest time that a timer of JavaScript takes; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export interface FieldMeta {
  readonly description: string;
  readonly examples?: unknown[];
}

/** A field that may be left out or null and is then `fallback`. */
export function field<S extends z.ZodType, F extends z.output<S>>(schema: S, fallback: F, meta: FieldMeta) {
  return schema
    .nullish()
    .meta({ default: fallback, ...meta })
    .transform((value): z.output<S> => value ?? fallback);
}

/** An integer within bounds; the error says which. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = `expected an integer ${range}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** A time in milliseconds. */
export function milliseconds(min = 0) {
  return integer(min, MAX_TIMER_MS);
}

/** A number of at least `min`, with fractions. */
export function decimal(min: number, max?: number) {
  const error = `expected a number ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}`;
  const number = z.number({ error }).min(min, { error });
  return max === undefined ? number : number.max(max, { error });
}
