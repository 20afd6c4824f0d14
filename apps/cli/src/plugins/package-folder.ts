import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

type PackageJson = Readonly<Record<string, unknown>>;

/** A folder with a package.json. */
export interface PackageFolder {
  readonly folder: string;
  readonly json: PackageJson;
}

/** The package.json of `folder`; undefined when there is none or it is no JSON object. */
export function readPackage(folder: string): PackageFolder | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return typeof json === "object" && json !== null ? { folder, json: json as PackageJson } : undefined;
  } catch {
    return undefined;
  }
}

/** The nearest package.json from `folder` upwards. */
export function nearestPackage(folder: string): PackageFolder | undefined {
  for (const at of upwards(folder)) {
    if (existsSync(join(at, "package.json"))) return readPackage(at);
  }
  return undefined;
}

/** An installed package, as Node finds it from `folder`: the nearest `node_modules` that holds it. */
export function installedPackage(name: string, folder: string): PackageFolder | undefined {
  for (const at of upwards(folder)) {
    const found = readPackage(join(at, "node_modules", name));
    if (found) return found;
  }
  return undefined;
}

export function isPath(plugin: string): boolean {
  return /^(?:\.{1,2}(?:[/\\]|$)|file:)/.test(plugin) || isAbsolute(plugin);
}

/** A plugin given as a path: a package's folder, or a module file. Undefined when nothing is there. */
export function pluginAt(path: string, folder: string): PackageFolder | { readonly file: string } | undefined {
  const full = resolve(folder, path.startsWith("file:") ? fileURLToPath(path) : path);
  const stats = statSync(full, { throwIfNoEntry: false });
  if (!stats) return undefined;
  return stats.isDirectory() ? readPackage(full) : { file: full };
}

/** The file that `import` of a package means, by its `exports` or `main`. */
export function entryOf({ folder, json }: PackageFolder): string {
  const exported = target(json["exports"]);
  const main = typeof json["main"] === "string" ? json["main"] : "index.js";
  return join(folder, exported ?? main);
}

function target(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (Array.isArray(exports)) return exports.map(target).find((one) => one !== undefined);
  if (typeof exports !== "object" || exports === null) return undefined;
  const map = exports as Record<string, unknown>;
  if ("." in map) return target(map["."]);
  for (const [condition, value] of Object.entries(map)) {
    if (!["node", "import", "module-sync", "default"].includes(condition)) continue;
    const found = target(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function* upwards(folder: string): Generator<string> {
  let at = resolve(folder);
  while (true) {
    yield at;
    const parent = dirname(at);
    if (parent === at) return;
    at = parent;
  }
}
