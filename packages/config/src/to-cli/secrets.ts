import type { Path, Registry, RoutePlan } from "@mqb/core";
import { substitute } from "../document/substitute.ts";
import type { Environment } from "../environment.ts";
import { keyOfPath } from "../fields/fit.ts";
import type { Schemas } from "../fields/schemas.ts";
import { walkRoute } from "../fields/walk.ts";
import { eachMarked } from "../redact/plan-secrets.ts";
import { isSecretName, mayBeSecretName } from "../redact/secret-names.ts";
import { secretParams } from "../redact/uri.ts";
import { userInfos } from "../redact/user-info.ts";
import { oddPasswords, type Range } from "../redact/user-passwords.ts";

/** Takes secrets out of values and keeps the variables that stand for them. */
export class SecretVariables {
  /** By name, with the value that each has to have. */
  readonly values = new Map<string, string>();
  private readonly environment: Environment;

  constructor(environment: Environment) {
    this.environment = environment;
  }

  /**
   * A copy of a route's configuration, or of the part of it at `at`, with `replace(name)` for every secret: what is
   * `marked` (as `secretPaths` says it), members with secret names, passwords of URLs. A text that would be changed by variables of the environment is taken out too: it came from
   * a variable, and is not to be looked at again.
   */
  hide(
    config: unknown,
    marked: ReadonlySet<string>,
    name: string,
    replace: (variable: string) => string,
    at: Path = [],
  ): unknown {
    const visit = (value: unknown, path: Path, isSecret: boolean): unknown => {
      const secret = isSecret || marked.has(keyOfPath(path));
      if (typeof value === "string") return this.text(value, [name, ...path], secret, replace);
      if (secret && (typeof value === "number" || typeof value === "bigint"))
        return replace(this.variable([name, ...path], String(value)));
      if (Array.isArray(value)) return value.map((item: unknown, at) => visit(item, [...path, at], secret));
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [
          key,
          visit(member, [...path, key], secret || (isSecretName(key) && typeof member !== "boolean")),
        ]),
      );
    };
    return visit(config, at, false);
  }

  private text(text: string, path: Path, isSecret: boolean, replace: (variable: string) => string): string {
    if (text === "") return text;
    const changed = substitute(text, (name) => this.environment[name]).text !== text;
    if (isSecret || changed) return replace(this.variable(path, text));
    const parts: string[] = [];
    let at = 0;
    for (const { name, from, to } of secretsInUrl(text)) {
      if (from < at) continue;
      parts.push(text.slice(at, from), replace(this.variable([...path, name], text.slice(from, to))));
      at = to;
    }
    return parts.join("") + text.slice(at);
  }

  /** `MQB__…` would be taken for an override of the configuration. */
  private variable(path: Path, value: string): string {
    const base = `MQB_SECRET_${path.map((part) => String(part).replace(/[^A-Za-z0-9]/g, "_")).join("_")}`.toUpperCase();
    for (let count = 1; ; count++) {
      const name = count === 1 ? base : `${base}_${count}`;
      const known = this.values.get(name);
      if (known === undefined) this.values.set(name, value);
      if (known === undefined || known === value) return name;
    }
  }
}

/** Passwords, tokens and parameters that hold secrets, in the order of the text. */
function secretsInUrl(text: string): (Range & { readonly name: string })[] {
  const usual = userInfos(text).map(({ start, user, end }) => ({
    from: user === undefined ? start : start + user.length + 1,
    to: end,
  }));
  const passwords = [...usual, ...oddPasswords(text)].map((one) => ({ ...one, name: "password" }));
  const params = text.includes("://") ? secretParams(text) : [];
  return [...passwords, ...params].filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from || b.to - a.to);
}

/**
 * A part of a route's configuration with `***` for every secret in it; `at` is where the part stands in the route. For
 * identities that a new password must not change.
 */
export function withoutSecrets(config: unknown, plan: RoutePlan, at: Path): unknown {
  const secrets = new SecretVariables({});
  return secrets.hide(config, markedPaths(plan), "", () => "***", at);
}

/**
 * A route's configuration with `${NAME}` for every secret that is no reference yet, and the names, in alphabetical order.
 * For what is written down.
 */
export function withReferences(
  config: unknown,
  plan: RoutePlan,
  name: string,
): { readonly config: unknown; readonly names: readonly string[] } {
  const secrets = new SecretVariables({});
  const reference = (variable: string): string => {
    const value = secrets.values.get(variable)!;
    if (!/^\$\{\w+\}$/.test(value)) return `\${${variable}}`;
    secrets.values.delete(variable);
    return value;
  };
  const shown = secrets.hide(config, markedPaths(plan), name, reference);
  return { config: shown, names: [...secrets.values.keys()].sort() };
}

/**
 * Where in a route as written a schema marks a secret, or one may be that no schema describes: also in a route that is not
 * enabled or that cannot start, and in plugins that are not installed.
 */
export function secretPaths(route: unknown, registry: Registry, schemas: Schemas): ReadonlySet<string> {
  const found = new Set<string>();
  walkRoute(route, registry, schemas, ({ path, field, isSecret }) => {
    const name = path.at(-1);
    const mayBe = !field && path.length > 1 && typeof name === "string" && mayBeSecretName(name);
    if (isSecret || mayBe) found.add(keyOfPath(path));
  });
  return found;
}

/** Where in a route that was checked schemas have a secret. */
function markedPaths(plan: RoutePlan): ReadonlySet<string> {
  const found = new Set<string>();
  eachMarked([plan], (_, path) => found.add(keyOfPath(path)));
  return found;
}
