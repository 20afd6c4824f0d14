import type { Registry } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import type { Filled, Path, Place } from "../document/place.ts";
import { guessPlain } from "../document/plain.ts";
import { parseExactJson } from "../exact.ts";
import type { Field } from "./field.ts";
import type { Schemas } from "./schemas.ts";
import { type Visited, walkRoute } from "./walk.ts";

export interface Fitted {
  readonly config: unknown;
  /** Members left out because the variable in them is empty, by `keyOfPath`. */
  readonly left: ReadonlyMap<string, Filled>;
}

const NOTHING_LEFT: Fitted["left"] = new Map();
/** Route options that take texts; the others take numbers or true and false. */
const TEXT_OPTIONS = ["description", "required_delivery"];
const LEFT_OUT = Symbol("left out");

/**
 * Gives texts that variables were put into the type that their field takes: a number field gets a number, a text field
 * keeps `012345` and `null` as they are. `placeAt` finds where a value of the route was written.
 */
export function fitRoute(
  config: unknown,
  placeAt: (path: Path) => Place | undefined,
  registry: Registry,
  schemas: Schemas,
): Fitted {
  const changes: { path: Path; value: unknown }[] = [];
  const left = new Map<string, Filled>();
  walkRoute(config, registry, schemas, (one) => {
    if (typeof one.value !== "string") return;
    const filled = placeAt(one.path)?.filled;
    if (!filled) return;
    const value = fit(one.value, filled, one);
    if (value === LEFT_OUT) left.set(keyOfPath(one.path), filled);
    if (value !== one.value) changes.push({ path: one.path, value });
  });
  if (changes.length === 0) return { config, left: NOTHING_LEFT };
  return { config: changes.reduce((node, { path, value }) => replaceAt(node, path, value), config), left };
}

export function keyOfPath(path: Path): string {
  return JSON.stringify(path);
}

function fit(text: string, filled: Filled, { path, field }: Visited): unknown {
  const isOption = path.length === 1;
  if (isOption && TEXT_OPTIONS.includes(String(path[0]))) return text;
  if (!field || field.types.size === 0) return filled.plain || isOption ? guessPlain(text) : text;
  const takes = (type: string): boolean => field.types.has(type);
  // Nothing written and a variable that holds nothing come to the same.
  if (text === "" && filled.plain) {
    if (takes("null")) return null;
    if (typeof path.at(-1) === "string") return LEFT_OUT;
  }
  if (takes("string") && (field.choices.length === 0 || field.choices.includes(text))) return text;
  const guessed = guessPlain(text.trim());
  if (typeof guessed === "boolean" && takes("boolean")) return guessed;
  const isNumber = typeof guessed === "number" || typeof guessed === "bigint";
  if (isNumber && (takes("number") || takes("integer"))) return guessed;
  if (guessed === null && takes("null")) return null;
  if (/^\s*[{[]/.test(text) && (takes("object") || takes("array"))) return parsed(text, field) ?? text;
  return text;
}

function parsed(text: string, field: Field): unknown {
  if (text.includes("__proto__")) return undefined;
  try {
    const value = parseExactJson(text);
    return field.types.has(Array.isArray(value) ? "array" : "object") ? value : undefined;
  } catch {
    return undefined;
  }
}

function replaceAt(node: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(node)) return node.map((item, index) => (index === key ? replaceAt(item, rest, value) : item));
  if (!isMap(node)) return node;
  if (rest.length === 0 && value === LEFT_OUT) {
    const { [key]: _, ...others } = node;
    return others;
  }
  return { ...node, [key]: replaceAt(node[key], rest, value) };
}
