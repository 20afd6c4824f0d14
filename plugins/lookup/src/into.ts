import { isMqbError } from "@mqb/core/plugin";
import { type JsonPath, parsePath } from "@mqb/json";
import { errors } from "./errors.ts";

/** Where an answer goes; the empty path is the whole payload. Throws a `config` error. */
export function parseInto(into: string): JsonPath {
  let path: JsonPath;
  try {
    path = parsePath(into);
  } catch (error) {
    if (!isMqbError(error)) throw error;
    throw errors.INTO({ into, reason: error.message });
  }
  if (path.some((step) => typeof step === "number"))
    throw errors.INTO({ into, reason: "an item of a list is no place" });
  return path;
}

/** Whether one of the places is the other, or inside of it. */
export function overlap(a: JsonPath, b: JsonPath): boolean {
  const length = Math.min(a.length, b.length);
  return a.slice(0, length).every((step, i) => step === b[i]);
}
