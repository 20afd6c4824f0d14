import { wholeNumber } from "../exact.ts";
import type { UriField } from "./fields.ts";
import { FORBIDDEN_KEY, hasForbiddenKey, parseLiteral } from "./literal.ts";

/** What a parameter's text means for a field: a value, or why it cannot be one. */
export type Converted =
  | { readonly value: unknown }
  /** The field takes only a JSON literal, and this is none. */
  | { readonly json: "an object" | "a list" }
  /** The field takes only certain texts, and this is none of them. */
  | { readonly choices: readonly string[] }
  /** The literal has a key that no configuration may have. */
  | { readonly key: string };

/**
 * Turns a parameter's text into a value of the field. Texts stay as they are where the field takes texts. What does not
 * fit otherwise is passed on as text, so that the check of the configuration says what the field takes.
 */
export function convertParam(value: string, field: UriField): Converted {
  const takes = (type: string): boolean => field.types.has(type);
  const isAnything = field.types.size === 0;
  const isStructured = takes("object") || takes("array") || isAnything;
  const literal = isStructured ? parseLiteral(value) : undefined;
  if (hasForbiddenKey(literal)) return { key: FORBIDDEN_KEY };
  if (literal !== undefined && (isAnything || takes(Array.isArray(literal) ? "array" : "object"))) {
    return { value: literal };
  }
  if (isAnything) return { value };
  if (takes("string") && (field.choices.length === 0 || field.choices.includes(value))) return { value };
  if (takes("boolean") && (value === "true" || value === "false")) return { value: value === "true" };
  if ((takes("integer") || takes("number")) && /^[-+]?\d+$/.test(value)) return { value: wholeNumber(value) };
  if (takes("number") && value.trim() !== "" && Number.isFinite(Number(value))) return { value: Number(value) };
  if (takes("null") && value === "null") return { value: null };
  if (field.choices.length > 0) return { choices: field.choices };
  const isScalar = ["string", "boolean", "integer", "number"].some(takes);
  return isStructured && !isScalar ? { json: takes("object") ? "an object" : "a list" } : { value };
}
