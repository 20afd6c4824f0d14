import { isUtf8 } from "node:buffer";
import { canonicalJson, FieldKind, JsonNumber, type JsonPath, numberText, parseJson, readString } from "@mqb/json";
import type { Template } from "@mqb/standard";
import { errors } from "./errors.ts";
import type { FoundFields } from "./fields.ts";
import type { Compile } from "./templates.ts";

/** A part of a key: a field of the payload with its type, or the text of a template. */
type Part = { readonly fields: readonly number[] } | { readonly template: Template };

const ONLY_A_FIELD = /^\$\{\s*payload\s*:([^|{}]+)\}$/;
const SMALL_INTEGER = /^(?:0|[1-9]\d*|-[1-9]\d*)$/;

/**
 * Makes one text of the values that an answer depends on, so that two messages have the same one exactly when all their
 * values are equal. A number equals another writing of it and no text.
 */
export class Keys {
  /** The fields of payloads that it is made of; `of` is told where they are found. */
  readonly paths: readonly JsonPath[];
  private readonly parts: readonly Part[];

  /** Throws a `config` error for a malformed template, and for one that depends on more than the message. */
  constructor(key: string | readonly string[], compile: Compile) {
    const paths: JsonPath[] = [];
    this.parts = [key].flat().map((text): Part => {
      const steps = ONLY_A_FIELD.exec(text)?.[1]?.trim().split(".");
      if (!steps || steps.includes("")) return { template: repeatable(text, compile) };
      const all = readings(steps);
      paths.push(...all);
      return { fields: all.map((_, i) => paths.length - all.length + i) };
    });
    this.paths = paths;
  }

  /** Undefined when the message lacks one of the values. `first`: where its own fields begin among those that were found. */
  of(found: FoundFields, first: number, index: number): string | undefined {
    const { parts } = this;
    let key = "";
    for (const part of parts) {
      const value =
        "fields" in part
          ? fieldOf(part.fields, found, index * found.width + first, index)
          : part.template.resolve(found.batch, index);
      if (value === undefined) return undefined;
      key += parts.length === 1 ? value : `${value.length}:${value}`;
    }
    return key;
  }
}

function fieldOf(fields: readonly number[], found: FoundFields, base: number, index: number): string | undefined {
  const { kinds, starts, ends } = found;
  const field = fields.find((one) => kinds[base + one] !== FieldKind.absent);
  if (field === undefined) return undefined;
  const bytes = found.bytesOf(index);
  const start = starts[base + field]!;
  const end = ends[base + field]!;
  switch (kinds[base + field]) {
    case FieldKind.string:
      return stringKey(bytes, start, end);
    case FieldKind.number: {
      const text = numberText(bytes, start, end);
      return SMALL_INTEGER.test(text) ? text : new JsonNumber(text).canonical();
    }
    case FieldKind.object:
    case FieldKind.array:
      return canonical(bytes.subarray(start, end));
    default:
      return numberText(bytes, start, end);
  }
}

/** Undefined for bytes that are not UTF-8: different ones would become the same text. */
function stringKey(bytes: Uint8Array, start: number, end: number): string | undefined {
  const text = readString(bytes, start, end);
  return text.includes("\ufffd") && !isUtf8(bytes.subarray(start, end)) ? undefined : `"${text}`;
}

/** A key that no second message can have would only fill the cache. */
function repeatable(text: string, compile: Compile): Template {
  const template = compile(text);
  if (!template.repeatable) throw errors.KEY({ key: text });
  return template;
}

/** Undefined for what no equal value can be told of, such as bytes that are not UTF-8. */
function canonical(json: Uint8Array): string | undefined {
  try {
    return canonicalJson(parseJson(json)).toString();
  } catch {
    return undefined;
  }
}

/** A step of digits is a key of an object or a position in an array. */
function readings(steps: readonly string[]): JsonPath[] {
  const positions = steps.map((step) => (/^\d{1,9}$/.test(step) ? Number(step) : step));
  return positions.some((step) => typeof step === "number") ? [positions, steps] : [steps];
}
