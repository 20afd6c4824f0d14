import { isMap } from "../config/value-type.ts";
import { API_VERSION } from "../contract/plugin.ts";
import { coreErrors } from "../errors/errors.ts";

/** The `mqb` field of a plugin's package.json: what it brings, readable without importing it. */
export interface PluginManifest {
  readonly apiVersion: number;
  readonly endpoints: readonly string[];
  /** Endpoints that other plugins may bring, too. */
  readonly shared: readonly string[];
  readonly middlewares: readonly string[];
  readonly stores: readonly string[];
  readonly schemes: readonly string[];
  /** Brings the expression language. */
  readonly expressions: boolean;
  /** The JSON Schemas of its configurations, relative to the package. */
  readonly schema?: string;
}

/** The plugin API versions that this core takes. */
export const SUPPORTED_API_VERSIONS: readonly number[] = [API_VERSION];

/**
 * Reads the manifest of a parsed package.json; undefined when the package is no plugin. Throws `config` errors for a
 * manifest of the wrong shape or API version.
 */
export function readManifest(packageJson: unknown, packageName: string): PluginManifest | undefined {
  const raw = isMap(packageJson) ? packageJson["mqb"] : undefined;
  if (raw === undefined) return undefined;
  const refuse = (reason: string) => coreErrors.BAD_MANIFEST({ package: packageName, reason });
  if (!isMap(raw)) throw refuse("it must be an object");
  checkApiVersion(packageName, raw["apiVersion"]);
  const names = (key: string): string[] => {
    const list = raw[key] ?? [];
    if (!Array.isArray(list) || list.some((name) => typeof name !== "string"))
      throw refuse(`"${key}" must be a list of names`);
    return list;
  };
  const schema = raw["schema"];
  if (schema !== undefined && typeof schema !== "string") throw refuse(`"schema" must be a path`);
  return {
    apiVersion: raw["apiVersion"] as number,
    endpoints: names("endpoints"),
    shared: names("shared"),
    middlewares: names("middlewares"),
    stores: names("stores"),
    schemes: names("schemes"),
    expressions: raw["expressions"] === true,
    ...(schema === undefined ? {} : { schema }),
  };
}

export function checkApiVersion(plugin: string, offered: unknown): void {
  if (SUPPORTED_API_VERSIONS.includes(offered as number)) return;
  throw coreErrors.API_VERSION({ plugin, offered, wanted: SUPPORTED_API_VERSIONS.join(" or ") });
}
