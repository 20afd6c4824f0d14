import { exactJson } from "@mqb/config/uri";

/** What stands behind a key, as a comment: by the path to it. */
export type Comments = (path: readonly (string | number)[]) => string | undefined;

const PLAIN_KEY = /^[A-Za-z_][\w-]*$/;
const WORDS = new Set(["null", "true", "false", "yes", "no", "on", "off", "y", "n"]);

/** Plain data as YAML in block style, with a comment above each key that has one. Texts are quoted. */
export function yamlText(
  value: unknown,
  indent: string,
  comments: Comments,
  path: readonly (string | number)[] = [],
): string {
  if (Array.isArray(value))
    return value.map((item, index) => listItem(item, indent, comments, [...path, index])).join("");
  return Object.entries(value as object)
    .map(([key, member]) => {
      const at = [...path, key];
      const comment = comments(at);
      const above = comment === undefined ? "" : `${indent}# ${comment}\n`;
      return `${above}${indent}${keyText(key)}:${below(member, indent, comments, at)}`;
    })
    .join("");
}

function listItem(item: unknown, indent: string, comments: Comments, path: readonly (string | number)[]): string {
  if (!isFilled(item) || Array.isArray(item)) return `${indent}-${below(item, indent, comments, path)}`;
  const text = yamlText(item, `${indent}  `, () => undefined, path);
  return `${indent}- ${text.slice(indent.length + 2)}`;
}

/** What follows the colon, or the dash: on the same line, or as a block below it. */
function below(value: unknown, indent: string, comments: Comments, path: readonly (string | number)[]): string {
  if (isFilled(value)) return `\n${yamlText(value, `${indent}  `, comments, path)}`;
  return ` ${exactJson(value)}\n`;
}

function keyText(key: string): string {
  return PLAIN_KEY.test(key) && !WORDS.has(key.toLowerCase()) ? key : JSON.stringify(key);
}

function isFilled(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}
