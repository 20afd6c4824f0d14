import { jsonErrors } from "./errors.ts";

/** Steps to a field: a key of an object, or a position in an array. */
export type JsonPath = readonly (string | number)[];

const STEP = /^([^[\]]*)((?:\[\d{1,9}\])*)$/;

/**
 * Reads `field`, `a.b`, `items[0].id`, each with `$.` before it or not; `$` alone is the whole document, an empty list.
 * There is no quoting: a key with a dot in it cannot be written. Throws a `config` error.
 */
export function parsePath(text: string): JsonPath {
  if (text === "$") return [];
  const refuse = (reason: string): Error => jsonErrors.PATH({ path: text, reason });
  if (text === "") throw refuse("it is empty");
  const steps: (string | number)[] = [];
  const body = text.startsWith("$.") ? text.slice(2) : text.startsWith("$[") ? text.slice(1) : text;
  for (const [index, part] of body.split(".").entries()) {
    const [, key, positions] = STEP.exec(part) ?? [];
    if (key === undefined) throw refuse(`"${part}" has brackets without a position in them`);
    if (key === "" && (index > 0 || !positions)) throw refuse("a key between dots is empty");
    if (key !== "") steps.push(key);
    for (const position of positions!.matchAll(/\d+/g)) steps.push(Number(position[0]));
  }
  return steps;
}

/** The path as a user writes it: `a.b[0]`; `$` for the whole document. */
export function formatPath(path: JsonPath): string {
  const text = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
  return text === "" ? "$" : text.replace(/^\./, "");
}
