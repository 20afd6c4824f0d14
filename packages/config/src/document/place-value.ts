import { isMap } from "@mqb/core/plugin";
import type { ParsedText } from "./parse.ts";
import { locationAt, NO_CHILDREN, type Place, type SourceValue } from "./place.ts";

const MAX_DEPTH = 100;

/** Gives a configuration that is a value already the places of one that was read. */
export function placeValue(source: SourceValue): ParsedText {
  const variables = new Set<string>();
  try {
    return { value: source.value, place: placeOf(source.value, source, 0), problems: [], variables };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = `values are nested more than ${MAX_DEPTH} deep, or hold themselves`;
    const problem = {
      level: "error" as const,
      code: "MQB_CONFIG_TOO_MUCH",
      path: [],
      message,
      at: locationAt(source, 0),
    };
    return { place: { source, value: 0, children: NO_CHILDREN }, problems: [problem], variables };
  }
}

function placeOf(value: unknown, source: SourceValue, depth: number): Place {
  if (depth > MAX_DEPTH) throw new RangeError("too deep");
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((one, index) => [index, one])
    : isMap(value)
      ? Object.entries(value)
      : [];
  if (entries.length === 0) return { source, value: 0, children: NO_CHILDREN };
  const children = new Map(entries.map(([key, one]) => [key, { ...placeOf(one, source, depth + 1), key: 0 }]));
  return { source, value: 0, children };
}
