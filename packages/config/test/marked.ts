import type { Registry } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import { createSchemas } from "../src/fields/schemas.ts";
import { walkRoute } from "../src/fields/walk.ts";
import { loadConfiguration } from "../src/index.ts";
import { passwordsIn } from "../src/redact/uri.ts";

/** A configuration with a secret in every place that may hold one. */
export interface Marked {
  readonly routes: Readonly<Record<string, unknown>>;
  /** How many secrets were put into it. */
  readonly count: number;
}

/**
 * Puts a secret into every field of the routes that is one by its schema or its name, and into the password of every URL or, of some, into a token in its place.
 * `secret` makes the text for each, by its number; `inUrl` says that it becomes a part of a URL.
 */
export function withSecrets(
  text: string,
  registry: Registry,
  secret: (number: number, inUrl: boolean) => string,
): Marked {
  const { routes } = loadConfiguration([{ name: "c", text, format: "yaml" }], {});
  let count = 0;
  const marked = routes.map(({ name, config }) => {
    let result: unknown = structuredClone(config);
    walkRoute(config, registry, createSchemas(), ({ path, value, isSecret }) => {
      if (typeof value !== "string") return;
      const text = isSecret ? secret(count, false) : withPassword(value, count, () => secret(count, true));
      if (text === undefined) return;
      count += 1;
      result = replaced(result, path, text);
    });
    return [name, result] as const;
  });
  return { routes: Object.fromEntries(marked), count };
}

/** A URL with a user and a password, or with a token alone where that is none. */
function withPassword(value: string, number: number, password: () => string): string | undefined {
  const url = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^@/]*@)?([^/].*)$/i.exec(value);
  if (!url) return undefined;
  const isToken = number % 4 === 3 && passwordsIn(`${url[1]}token@host`).length > 0;
  return `${url[1]}${isToken ? "" : "user:"}${password()}@${url[2]}`;
}

function replaced(node: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(node)) return node.map((item, index) => (index === key ? replaced(item, rest, value) : item));
  return isMap(node) ? { ...node, [key]: replaced(node[String(key)], rest, value) } : node;
}
