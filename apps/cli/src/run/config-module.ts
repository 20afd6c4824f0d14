import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { SourceValue } from "@mqb/config";
import { isMap } from "@mqb/core/plugin";
import { cliErrors } from "../errors.ts";

/** Modules that hold a configuration when there is no `config.yml`, in the order in which they are looked for. */
export const CONFIG_MODULES: readonly string[] = ["mqb.config.ts", "mqb.config.mts", "mqb.config.js", "mqb.config.mjs"];

export function isModule(path: string): boolean {
  return /\.[mc]?[jt]s$/i.test(path);
}

/**
 * Imports a module whose default export is a configuration, what `defineConfig` returns. A changed file is read anew each
 * time; what it imports is not. Throws a `config` error when it cannot be imported or exports something else.
 */
export async function readConfigModule(path: string, name: string): Promise<SourceValue> {
  let exported: unknown;
  try {
    exported = await importDefault(path);
  } catch (error) {
    throw cliErrors.CONFIG_MODULE({ path: name, reason: (error as Error).message }, { cause: undefined });
  }
  if (!isMap(exported)) {
    throw cliErrors.CONFIG_MODULE({ path: name, reason: "its default export is no configuration" });
  }
  // A host calls them endpoints by name; the document's word is older.
  const { endpoints, ...rest } = exported;
  return { name, value: endpoints === undefined ? rest : { ...rest, publishers: endpoints } };
}

async function importDefault(path: string): Promise<unknown> {
  const strips = (process.features as { readonly typescript?: unknown }).typescript;
  if (/\.m?ts$/i.test(path) && !strips) {
    // Node 20 reads no TypeScript.
    const { createJiti } = await import("jiti");
    return await createJiti(pathToFileURL(path).href, { moduleCache: false }).import(path, { default: true });
  }
  const { mtimeMs } = statSync(path);
  const module = (await import(`${pathToFileURL(path).href}?changed=${mtimeMs}`)) as { readonly default?: unknown };
  return module.default;
}
