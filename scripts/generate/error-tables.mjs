import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../workspace.mjs";
import { placeholder } from "./placeholder.mjs";

/**
 * @typedef {object} ErrorEntry
 * @property {string} code
 * @property {string} kind
 * @property {string} message its shape, parameters as `<name>`
 * @property {string} [hint]
 */

/**
 * The errors of each package that has any, from its error tables, in their order.
 * @param {import("../workspace.mjs").WorkspacePackage[]} packages built
 * @returns {Promise<{ name: string, errors: ErrorEntry[] }[]>}
 */
export async function errorTables(packages) {
  const found = [];
  for (const { name, folder } of packages) {
    const errors = [];
    for (const file of tableFiles(folder)) {
      const built = join(root, folder, "dist", file.replace(/\.ts$/, ".js"));
      const tables = Object.values(await import(pathToFileURL(built).href)).filter(isTable);
      if (tables.length === 0) throw new Error(`${folder}/src/${file} declares errors but exports no table of them`);
      errors.push(...tables.flatMap((table) => Object.values(table).map(entry)));
    }
    if (errors.length > 0) found.push({ name, errors });
  }
  return found;
}

/**
 * The source files of a package that declare errors, relative to its `src`.
 * @param {string} folder
 */
export function tableFiles(folder) {
  return sourceFiles(folder).filter((file) => {
    return /\bdefineErrors\("/.test(readFileSync(join(root, folder, "src", file), "utf8"));
  });
}

/**
 * What the codes of configuration problems mean, from the files named problem-codes.ts.
 * @param {import("../workspace.mjs").WorkspacePackage[]} packages built
 * @returns {Promise<[code: string, meaning: string][]>}
 */
export async function problemCodes(packages) {
  const files = packages.flatMap(({ folder }) => problemCodeFiles(folder).map((file) => `${folder}/dist/${file}`));
  const modules = await Promise.all(
    files.map((file) => import(pathToFileURL(join(root, file)).href.replace(/ts$/, "js"))),
  );
  return modules.flatMap((module) => Object.entries(module.problemCodes));
}

/**
 * Relative to the package's `src`.
 * @param {string} folder
 */
export function problemCodeFiles(folder) {
  return sourceFiles(folder).filter((file) => /(^|\/)problem-codes\.ts$/.test(file));
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function sourceFiles(folder) {
  const source = join(root, folder, "src");
  if (!existsSync(source)) return [];
  const files = readdirSync(source, { recursive: true, encoding: "utf8" });
  return files
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"))
    .sort();
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, Maker>}
 */
function isTable(value) {
  if (typeof value !== "object" || value === null) return false;
  const makers = Object.values(value);
  return makers.length > 0 && makers.every((maker) => typeof maker === "function" && typeof maker.code === "string");
}

/** @typedef {((params: unknown) => { message: string, hint?: string }) & { code: string, kind: string }} Maker */

/**
 * @param {Maker} make
 * @returns {ErrorEntry}
 */
function entry(make) {
  const { message, hint } = make(placeholder());
  // A hint that is only a parameter says nothing here.
  const says = hint === undefined || /^(<[\w.]+>)+$/.test(`${hint}`) ? {} : { hint: `${hint}` };
  return { code: make.code, kind: make.kind, message: `${message}`, ...says };
}
