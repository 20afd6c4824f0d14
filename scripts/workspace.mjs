import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of this checkout, without a slash at its end. */
export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[/\\]$/, "");

/** The folders that hold packages, one level deep; the same list as in pnpm-workspace.yaml. */
const groups = ["packages", "plugins", "apps", "templates"];

/** Folders that are packages themselves. */
const singles = ["examples"];

/**
 * @typedef {object} WorkspacePackage
 * @property {string} folder relative to the root, with slashes: `plugins/file`
 * @property {string} name
 * @property {any} manifest the parsed package.json
 */

/**
 * Every package of the workspace, by folder.
 * @returns {WorkspacePackage[]}
 */
export function workspacePackages() {
  const inGroups = groups.flatMap((group) => {
    const names = existsSync(join(root, group)) ? readdirSync(join(root, group)).sort() : [];
    return names.map((name) => `${group}/${name}`);
  });
  return [...inGroups, ...singles]
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
      return { folder, name: manifest.name, manifest };
    });
}

/**
 * The packages whose default export is a plugin.
 * @param {WorkspacePackage[]} packages
 */
export function pluginPackages(packages) {
  return packages.filter(({ folder, manifest }) => folder.startsWith("plugins/") || manifest.mqb !== undefined);
}
