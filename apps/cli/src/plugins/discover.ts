import { realpathSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type PluginManifest, readManifest } from "@mqb/core";
import { cliErrors } from "../errors.ts";
import { ownPackage } from "../own-package.ts";
import { BUNDLED } from "./bundled.ts";
import { entryOf, installedPackage, isPath, nearestPackage, type PackageFolder, pluginAt } from "./package-folder.ts";

/** Who brought a plugin in: the user by name, the project's dependencies, or the installation of mqb itself. */
type Origin = "listed" | "project" | "bundled";

/** A plugin that was found; nothing of it has been imported. */
export interface FoundPlugin {
  /** The package's name, or the path of a lone file. */
  readonly name: string;
  readonly version?: string;
  readonly origin: Origin;
  /** Folder or file. */
  readonly location: string;
  /** What it says that it brings. Absent for a lone file, and when `problem` says why. */
  readonly manifest?: PluginManifest;
  /** Why its manifest cannot be used; thrown when the plugin is needed. */
  readonly problem?: Error;
  /** Names of the manifest that cannot be used, so that what needs the plugin learns why it is not there. */
  readonly claims: readonly string[];
  import(): Promise<unknown>;
}

export interface Discovery {
  /** Packages or paths that the user named, each with the folder that it is relative to. */
  readonly listed: readonly { readonly plugin: string; readonly from: string }[];
  /** The folder of the configuration. */
  readonly folder: string;
}

/**
 * Finds plugins by their manifests, without importing one: those that the user listed, then the dependencies of the
 * nearest package.json that carry an `mqb` field, then what mqb was installed with. Never searches node_modules. Throws a
 * `config` error for a listed plugin that is not there.
 */
export function discoverPlugins(discovery: Discovery): readonly FoundPlugin[] {
  const found = new Map<string, FoundPlugin>();
  const add = (plugin: FoundPlugin | undefined): void => {
    if (plugin && !found.has(plugin.location)) found.set(plugin.location, plugin);
  };
  for (const { plugin, from } of discovery.listed) add(listedPlugin(plugin, from));
  const project = nearestPackage(discovery.folder);
  const own = ownPackage();
  for (const name of project ? dependenciesOf(project) : [])
    add(manifested(installedPackage(name, project!.folder), "project"));
  for (const name of dependenciesOf(own)) add(manifested(installedPackage(name, own.folder), "bundled"));
  return onePerPackage([...found.values()]);
}

function listedPlugin(plugin: string, from: string): FoundPlugin {
  if (/\.(?:so|dylib|dll)$/i.test(plugin)) throw cliErrors.PLUGIN_NATIVE({ plugin });
  const found = isPath(plugin) ? pluginAt(plugin, from) : installedPackage(plugin, from);
  if (!found) throw cliErrors.PLUGIN_MISSING({ plugin, from });
  if (!("file" in found)) return describe(found, "listed");
  const location = realpathSync(found.file);
  return { name: plugin, origin: "listed", location, claims: [], import: () => importFile(location) };
}

/** A dependency, if it is a plugin. */
function manifested(found: PackageFolder | undefined, origin: Origin): FoundPlugin | undefined {
  return found && found.json["mqb"] !== undefined ? describe(found, origin) : undefined;
}

function describe(found: PackageFolder, origin: Origin): FoundPlugin {
  const { json } = found;
  const folder = realpathSync(found.folder);
  const name = typeof json["name"] === "string" ? json["name"] : folder;
  const version = typeof json["version"] === "string" ? { version: json["version"] } : {};
  const load = (origin === "bundled" && BUNDLED[name]) || (() => importFile(entryOf({ folder, json })));
  const plugin = { name, origin, location: folder, import: load, ...version };
  try {
    const manifest = readManifest(json, name);
    return manifest ? { ...plugin, manifest, claims: [] } : { ...plugin, claims: [] };
  } catch (error) {
    return { ...plugin, problem: error as Error, claims: claimsOf(json["mqb"]) };
  }
}

function importFile(path: string): Promise<unknown> {
  return import(pathToFileURL(path).href);
}

/** All names in a manifest, whatever is wrong with it. */
function claimsOf(manifest: unknown): string[] {
  if (typeof manifest !== "object" || manifest === null) return [];
  return Object.values(manifest)
    .filter((value): value is unknown[] => Array.isArray(value))
    .flat()
    .filter((name): name is string => typeof name === "string");
}

function dependenciesOf({ json }: PackageFolder): string[] {
  const names = new Set<string>();
  for (const key of ["dependencies", "optionalDependencies", "devDependencies"]) {
    const map = json[key];
    if (typeof map === "object" && map !== null) for (const name of Object.keys(map)) names.add(name);
  }
  return [...names];
}

/** The same package may be found twice, in different folders: the nearer one counts. */
function onePerPackage(plugins: readonly FoundPlugin[]): FoundPlugin[] {
  return plugins.filter((plugin, index) => plugins.findIndex((other) => other.name === plugin.name) === index);
}
