import { isMqbError } from "@mqb/core/plugin";
import { parseTemplate, type Segment } from "@mqb/standard";
import { errors } from "../errors.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** A key as written: one template, or several whose values are compared one by one. */
export type KeyText = string | readonly string[];

/** The templates of a key, taken apart. Throws a `config` error for one that cannot tell messages apart. */
export function parseKey(key: KeyText, env: Env): readonly (readonly Segment[])[] {
  const templates = typeof key === "string" ? [key] : key;
  const parsed = templates.map((text) => parsePart(text, env));
  const tokens = parsed.flat().filter((segment) => typeof segment !== "string");
  if (tokens.length === 0) throw refuse(key, "it is the same for every message");
  return parsed;
}

/** Whether parts of the text come from the message side by side, so that other values can give the same text. */
export function isJoined(key: KeyText, env: Env): boolean {
  if (typeof key !== "string") return false;
  return parsePart(key, env).filter((segment) => typeof segment !== "string").length > 1;
}

/** The tokens of a template as a list of templates, in the way a user would write it. */
export function asList(key: string): string {
  const tokens = key.match(/\$\{[^}]*\}/g) ?? [];
  return `[${tokens.map((token) => `"${token}"`).join(", ")}]`;
}

function parsePart(text: string, env: Env): readonly Segment[] {
  let segments: readonly Segment[];
  try {
    segments = parseTemplate(text, env);
  } catch (error) {
    throw isMqbError(error) ? refuse(text, error.message, error) : error;
  }
  for (const segment of segments) {
    if (typeof segment === "string") continue;
    const { from } = segment.source;
    if (!["payload", "metadata", "id", "body"].includes(from)) throw refuse(text, "it is made anew for every message");
  }
  return segments;
}

function refuse(key: KeyText, reason: string, cause?: unknown): Error {
  const written = typeof key === "string" ? key : key.join(", ");
  return errors.KEY({ key: written, reason }, cause === undefined ? {} : { cause });
}
