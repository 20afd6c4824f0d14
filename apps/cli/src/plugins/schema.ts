import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isPlugin, type Plugin } from "@mqb/core";
import { type ConfigSchema, type JsonSchema, jsonSchemaOf } from "@mqb/core/plugin";
import { cliErrors } from "../errors.ts";
import type { FoundPlugin } from "./discover.ts";

/** An endpoint or a middleware. */
export interface PartSchema {
  readonly description: string;
  readonly aliases: readonly string[];
  readonly input: boolean;
  readonly output: boolean;
  /** Absent when the plugin's schema library cannot say it. */
  readonly schema?: JsonSchema;
}

/** What a plugin brings, in the shape of its schema.json. */
export interface PluginSchema {
  readonly endpoints: Readonly<Record<string, PartSchema>>;
  readonly middlewares: Readonly<Record<string, PartSchema>>;
  readonly stores: Readonly<Record<string, { readonly description: string; readonly durable: boolean }>>;
  readonly schemes: Readonly<Record<string, { readonly endpoint: string }>>;
}

/** What a plugin brings: from its schema.json without importing it, or, where it has none, from the plugin itself. */
export async function schemaOf(found: FoundPlugin): Promise<PluginSchema> {
  if (found.problem) throw found.problem;
  if (found.manifest?.schema === undefined) return await importedSchema(found);
  const path = join(found.location, found.manifest.schema);
  try {
    const {
      endpoints = {},
      middlewares = {},
      stores = {},
      schemes = {},
    } = JSON.parse(readFileSync(path, "utf8")) as Partial<PluginSchema>;
    return { endpoints, middlewares, stores, schemes };
  } catch (cause) {
    throw cliErrors.PLUGIN_SCHEMA({ plugin: found.name, path }, { cause });
  }
}

async function importedSchema(found: FoundPlugin): Promise<PluginSchema> {
  let plugin: unknown;
  try {
    plugin = ((await found.import()) as { default?: unknown }).default;
  } catch (cause) {
    throw cliErrors.PLUGIN_LOAD({ plugin: found.name }, { cause });
  }
  if (!isPlugin(plugin)) throw cliErrors.PLUGIN_LOAD({ plugin: found.name }, { cause: new Error("it is no plugin") });
  return describe(plugin);
}

function describe({ endpoints, middlewares, stores, schemes }: Plugin): PluginSchema {
  return {
    endpoints: mapped(endpoints, partSchema),
    middlewares: mapped(middlewares, partSchema),
    stores: mapped(stores, ({ description, durable }) => ({ description, durable })),
    schemes: mapped(schemes, ({ endpoint }) => ({ endpoint })),
  };
}

function partSchema(definition: {
  readonly description: string;
  readonly schema: ConfigSchema;
  readonly aliases?: readonly string[];
  readonly input?: unknown;
  readonly output?: unknown;
}): PartSchema {
  const schema = jsonSchemaOf(definition.schema);
  const { description, aliases = [], input, output } = definition;
  return { description, aliases, input: !!input, output: !!output, ...(schema ? { schema } : {}) };
}

function mapped<T, R>(record: Readonly<Record<string, T>> = {}, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
