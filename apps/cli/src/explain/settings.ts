import type { ResolvedEndpoint } from "@mqb/core";
import { jsonSchemaOf } from "@mqb/core/plugin";

/**
 * The settings that tell one endpoint of a kind from another: what its schema requires and its name, else the first text
 * that is set. No secret.
 */
export function settingsOf({ definition, config }: ResolvedEndpoint): string {
  const schema = jsonSchemaOf(definition.schema);
  const values = (config ?? {}) as Readonly<Record<string, unknown>>;
  const required = (schema?.["required"] as readonly string[] | undefined) ?? [];
  const names = new Set([...required, ...(definition.nameField === undefined ? [] : [definition.nameField])]);
  const shown = (name: string): string[] => {
    const value = values[name];
    if (schema?.properties?.[name]?.["secret"] === true) return [];
    return (typeof value === "string" && value !== "") || typeof value === "number" ? [`${name}: ${value}`] : [];
  };
  const chosen = [...names].flatMap(shown);
  const others = Object.keys(schema?.properties ?? {}).filter((name) => schema?.properties?.[name]?.type === "string");
  return (chosen.length > 0 ? chosen : others.flatMap(shown).slice(0, 1)).join(", ");
}
