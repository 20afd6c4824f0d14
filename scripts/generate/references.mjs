import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "../workspace.mjs";
import { read } from "./outputs.mjs";

/** Folders with a TypeScript project that are no packages. */
const extraProjects = ["scripts", "bench"];

/**
 * The `references` of every tsconfig.json: the root lists all projects, a package what its package.json depends on, its
 * test project that and the package itself.
 * @param {import("./outputs.mjs").Outputs} outputs
 * @param {import("../workspace.mjs").WorkspacePackage[]} packages
 */
export function generateReferences(outputs, packages) {
  const folders = new Map(packages.map(({ name, folder }) => [name, folder]));
  /** @type {string[]} */
  const projects = [];
  for (const { folder, manifest } of packages) {
    const needs = linked({ ...manifest.dependencies, ...manifest.peerDependencies });
    const testNeeds = linked({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.devDependencies });
    if (setReferences(folder, needs)) projects.push(folder);
    if (setReferences(`${folder}/test`, [folder, ...testNeeds])) projects.push(`${folder}/test`);
  }
  setReferences(".", [...projects, ...extraProjects.filter((folder) => isProject(folder))]);

  /** @param {Record<string, string>} needs */
  function linked(needs) {
    return Object.keys(needs)
      .map((name) => folders.get(name))
      .filter((folder) => folder !== undefined)
      .sort();
  }

  /**
   * @param {string} folder
   * @param {string[]} targets
   * @returns {boolean} whether the folder is a project
   */
  function setReferences(folder, targets) {
    if (!isProject(folder)) return false;
    const path = posix.join(folder, "tsconfig.json");
    const config = JSON.parse(read(path) ?? "{}");
    const references = targets.map((target) => ({ path: posix.relative(folder, target) }));
    outputs.json(path, { ...config, references });
    return true;
  }
}

/** @param {string} folder */
function isProject(folder) {
  return existsSync(join(root, folder, "tsconfig.json"));
}
