import { parseExactJson } from "../exact.ts";

const MAX_DEPTH = 64;

/** A JSON object or list from a parameter; undefined when the text is none, or nested beyond reason. */
export function parseLiteral(text: string): unknown {
  if (!/^\s*[{[]/.test(text) || depthOf(text) > MAX_DEPTH) return undefined;
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (const [mark] of text.matchAll(/\\.|["{}[\]]/gs)) {
    if (mark === '"') inText = !inText;
    else if (inText) continue;
    else if (mark === "{" || mark === "[") deepest = Math.max(deepest, ++depth);
    else if (mark === "}" || mark === "]") depth -= 1;
  }
  return deepest;
}

/** A key with this name would be taken for an object's prototype further on. */
export const FORBIDDEN_KEY = "__proto__";

/** Whether a literal has the forbidden key, at any depth. */
export function hasForbiddenKey(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, FORBIDDEN_KEY) || Object.values(value).some(hasForbiddenKey);
}
