import { isMap } from "@mqb/core/plugin";
import type { Place } from "../document/place.ts";
import type { Environment } from "../environment.ts";
import { isSecretName } from "./secret-names.ts";
import { passwordsIn } from "./uri.ts";

/**
 * The values of variables that stand in secret fields and in passwords of URLs. The field as a whole is known to be
 * secret; a message of a server may show the variable's part of it alone.
 */
export function variableSecrets(document: unknown, root: Place, environment: Environment): string[] {
  const own = ownVariables(document);
  const secrets = new Set<string>();
  const walk = (value: unknown, place: Place | undefined, isSecret: boolean): void => {
    if (!place) return;
    if (typeof value === "string") {
      if (!place.filled) return;
      const passwords = isSecret ? [value] : passwordsIn(value);
      for (const name of place.filled.variables) {
        const text = environment[name] ?? own[name];
        if (text !== undefined && text !== "" && passwords.some((one) => one.includes(text))) secrets.add(text);
      }
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) walk(item, place.children.get(index), isSecret);
    } else if (isMap(value)) {
      for (const [key, item] of Object.entries(value))
        walk(item, place.children.get(key), isSecret || isSecretName(key));
    }
  };
  walk(document, root, false);
  return [...secrets];
}

function ownVariables(document: unknown): Readonly<Record<string, string>> {
  const vars: Record<string, string> = Object.create(null);
  if (!isMap(document)) return vars;
  const written = document["env_vars"] ?? document["envVars"];
  if (isMap(written)) for (const [name, value] of Object.entries(written)) vars[name] = String(value);
  return vars;
}
