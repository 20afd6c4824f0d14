import { formatPath, nearest } from "@mqb/core";
import type { Source } from "../document/place.ts";
import { isSecretName } from "../redact/secret-names.ts";
import { redactUri } from "../redact/uri.ts";
import type { Field } from "./field.ts";
import { unitHint } from "./unit.ts";
import type { Visited } from "./walk.ts";

export interface Explanation {
  readonly message: string;
  readonly hint?: string;
}

/** Where a value came from, as far as messages name it. */
export interface Came {
  readonly source?: Source;
  readonly variables: readonly string[];
}

const LONGEST = 60;

/**
 * Says of a value that does not fit its field what was written and what the field takes; undefined when the value has a
 * type and a size that the field takes, so that only the schema itself knows what is wrong.
 */
export function explainMisfit(one: Visited, came: Came): Explanation | undefined {
  const { field, owner, value } = one;
  if (!field || !owner || field.types.size === 0 || value === undefined) return undefined;
  if (fits(value, field)) return undefined;
  const name = formatPath(owner.path);
  const subject = name === "" ? `"${owner.name}"` : `"${name}" of "${owner.name}"`;
  const hint = hintFor(one, field);
  const isNumberForText = !one.isSecret && typeof value === "number" && field.types.has("string");
  return {
    message: `${subject} takes ${takenBy(field)}, not ${isNumberForText ? "the number " : ""}${writtenAs(one, came)}`,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** A value as messages show it: short, without secrets, and with the variables that it came from. */
export function writtenAs({ value, isSecret }: Pick<Visited, "value" | "isSecret">, came: Came): string {
  const names = [...came.variables, ...(came.source && "variable" in came.source ? [came.source.name] : [])];
  const from = came.variables.length > 0 ? ` (from ${came.variables.join(", ")})` : "";
  if (isSecret || names.some(isSecretVariable)) return `${typeText(value)}${from}`;
  if (typeof value === "string") {
    const shown = redactUri(shortened(value));
    return `${JSON.stringify(shown)}${from}`;
  }
  if (typeof value === "bigint") return `${shortened(String(value))}${from}`;
  return `${typeof value === "number" || typeof value === "boolean" ? String(value) : typeText(value)}${from}`;
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function isSecretVariable(name: string): boolean {
  return isSecretName(name.split("__").at(-1)!.toLowerCase());
}

function fits(value: unknown, field: Field): boolean {
  return field.options.some((option) => {
    const types = typeof option.type === "string" ? [option.type] : ((option.type as readonly string[]) ?? []);
    if (types.length > 0 && !types.some((type) => isOf(value, type))) return false;
    const listed = option.enum ?? ("const" in option ? [option["const"]] : undefined);
    if (listed && !listed.includes(value)) return false;
    if (typeof value !== "number") return true;
    const [min, max] = rangeOf(option);
    return value >= min && value <= max;
  });
}

function isOf(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function takenBy(field: Field): string {
  const parts: string[] = [];
  const texts = new Set<string>();
  for (const option of field.options) {
    const listed = option.enum ?? ("const" in option ? [option["const"]] : undefined);
    const types = typeof option.type === "string" ? [option.type] : ((option.type as readonly string[]) ?? []);
    if (listed) for (const one of listed) texts.add(String(one));
    else if (types.includes("boolean")) for (const one of ["true", "false"]) texts.add(one);
    else for (const type of types) if (type !== "null") parts.push(typeWords(type, option));
  }
  texts.delete("null");
  return joined([...new Set([...texts, ...parts])]);
}

function typeWords(type: string, option: Readonly<Record<string, unknown>>): string {
  if (type === "integer" || type === "number") {
    const [min, max] = rangeOf(option);
    const what = type === "integer" ? "a whole number" : "a number";
    const isOpen = max >= Number.MAX_SAFE_INTEGER;
    if (min <= Number.MIN_SAFE_INTEGER) return isOpen ? what : `${what} of at most ${max}`;
    if (isOpen && option["exclusiveMinimum"] === min) return `${what} > ${min}`;
    return isOpen ? `${what} of at least ${min}` : `${what} from ${min} to ${max}`;
  }
  return type === "string" ? "a text" : type === "array" ? "a list" : "a map";
}

function rangeOf(option: Readonly<Record<string, unknown>>): readonly [number, number] {
  const number = (key: string): number | undefined => (typeof option[key] === "number" ? option[key] : undefined);
  return [
    number("minimum") ?? number("exclusiveMinimum") ?? Number.NEGATIVE_INFINITY,
    number("maximum") ?? number("exclusiveMaximum") ?? Number.POSITIVE_INFINITY,
  ];
}

function hintFor({ value, isSecret, owner }: Visited, field: Field): string | undefined {
  const takes = (type: string): boolean => field.types.has(type);
  if (takes("array") && field.options.some((option) => isListOf(option, value))) return "write it as a list: [ … ]";
  if (typeof value === "string") {
    if (isSecret) return undefined;
    const elsewhere = (field.marks["elsewhere"] as Readonly<Record<string, string>> | undefined)?.[value];
    if (elsewhere !== undefined) return elsewhere;
    const instead = field.marks["text-hint"];
    if (typeof instead === "string" && !takes("string")) return instead;
    const near = nearest(value, field.choices) ?? field.choices.find((one) => same(one, value));
    if (near !== undefined) return `did you mean "${near}"?`;
    if (takes("boolean") && /^(?:yes|on|y|true)$/i.test(value)) return "write true";
    if (takes("boolean") && /^(?:no|off|n|false)$/i.test(value)) return "write false";
    const isNumber = value.trim() !== "" && Number.isFinite(Number(value));
    if (isNumber && (takes("number") || takes("integer"))) return "write it without quotes";
    return takes("number") || takes("integer") ? unitHint(value, String(owner?.path.at(-1))) : undefined;
  }
  if (takes("string") && field.choices.length === 0 && ["number", "bigint", "boolean"].includes(typeof value)) {
    const text = String(value);
    return isSecret || text.length > LONGEST ? "put it in quotes" : `write "${text}"`;
  }
  const isOpen = field.options.every((option) => rangeOf(option)[1] >= Number.MAX_SAFE_INTEGER);
  if (typeof value === "bigint" && value > 0 && isOpen && (takes("number") || takes("integer"))) {
    return `the largest whole number here is ${Number.MAX_SAFE_INTEGER}`;
  }
  return undefined;
}

function isListOf(option: Readonly<Record<string, unknown>>, value: unknown): boolean {
  const items = option["items"] as { readonly type?: unknown } | undefined;
  return option["type"] === "array" && items?.type === typeof value;
}

function same(a: string, b: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  return plain(a) === plain(b);
}

function typeText(value: unknown): string {
  if (value === null) return "nothing (null)";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "bigint") return "a number";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}

function joined(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? "nothing") : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`;
}
