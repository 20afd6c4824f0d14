import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { problemCodeFiles, tableFiles } from "../generate/error-tables.mjs";
import { placeholder } from "../generate/placeholder.mjs";
import { root, workspacePackages } from "../workspace.mjs";

type Maker = ((params: unknown) => Error) & { readonly code: string; readonly kind: string };

const packages = workspacePackages().filter(({ manifest }) => manifest.private !== true);
const page = readFileSync(join(root, "docs/reference/errors.md"), "utf8");
const documented = [...page.matchAll(/^### (\S+)\n\n(\w+): /gm)].map(([, code, kind]) => ({ code, kind }));
const documentedProblems = [...page.matchAll(/^\| (MQB_\w+) \|/gm)].map(([, code]) => code);
const declared = await declaredErrors();
const problems = await declaredProblems();

describe("docs/reference/errors.md", () => {
  it("has every error of every table with its kind, in order, and none in excess", () => {
    expect(documented).toEqual(declared.map(({ code, kind }) => ({ code, kind })));
  });

  it("has every code of a configuration problem, and none in excess", () => {
    expect(documentedProblems).toEqual(problems);
  });

  it("names each code once", () => {
    const codes = [...declared.map(({ code }) => code), ...problems];
    expect(codes.filter((code, i) => codes.indexOf(code) !== i)).toEqual([]);
  });

  it("shows messages that are readable without their parameters", () => {
    const unreadable = declared.filter((make) =>
      /NaN|undefined|\[object|=>|\bnull\b/.test(make(placeholder()).message),
    );
    expect(unreadable.map(({ code }) => code)).toEqual([]);
  });
});

describe("the error codes in the sources", () => {
  const literals = packages
    .flatMap(({ folder }) => sources(folder))
    .flatMap(({ path, text }) => {
      return [...text.matchAll(/["'`](MQB_[A-Z0-9]+_[A-Z0-9_]+)["'`]/g)].map(([, code = ""]) => ({ path, code }));
    });

  it("all come from a table", () => {
    const known = new Set([...declared.map(({ code }) => code), ...problems]);
    const prefixes = [...known].map((code) => /^MQB_[A-Z0-9]+_/.exec(code)![0]);
    const strange = literals.filter(
      ({ code }) => !known.has(code) && prefixes.some((prefix) => code.startsWith(prefix)),
    );
    expect(strange).toEqual([]);
  });

  it("of problems are all in use", () => {
    const texts = packages
      .flatMap(({ folder }) => sources(folder))
      .filter(({ path }) => !path.endsWith("problem-codes.ts"));
    const isUsed = (code: string) => {
      // In full, or without the prefix where a function adds it.
      const quoted = new RegExp(`["'\`](${code}|${code.replace(/^MQB_[A-Z0-9]+_/, "")})["'\`]`);
      return texts.some(({ text }) => quoted.test(text));
    };
    expect(problems.filter((code) => !isUsed(code))).toEqual([]);
  });

  it("are declared in a file named errors.ts", () => {
    const elsewhere = packages.flatMap(({ folder }) => tableFiles(folder).map((file) => `${folder}/src/${file}`));
    expect(elsewhere.filter((file) => !/(^|[/-])errors\.ts$/.test(file))).toEqual([]);
  });

  it.each(packages.map(({ name, folder }) => [name, folder] as const))("of %s begin with its name", (name, folder) => {
    const own = `MQB_${name.replace("@mqb/", "").replaceAll("-", "_").toUpperCase()}`;
    const prefixes = tableFiles(folder).map((file) => {
      return /\bdefineErrors\("(\w+)"/.exec(readFileSync(join(root, folder, "src", file), "utf8"))![1];
    });
    expect(prefixes.filter((prefix) => prefix !== own)).toEqual([]);
  });
});

async function declaredErrors(): Promise<Maker[]> {
  const found: Maker[] = [];
  for (const { folder } of packages) {
    for (const file of tableFiles(folder)) {
      const module: object = await import(pathToFileURL(join(root, folder, "src", file)).href);
      for (const value of Object.values(module)) if (isTable(value)) found.push(...Object.values(value));
    }
  }
  return found;
}

async function declaredProblems(): Promise<string[]> {
  const found: string[] = [];
  for (const { folder } of packages) {
    for (const file of problemCodeFiles(folder)) {
      const { problemCodes } = await import(pathToFileURL(join(root, folder, "src", file)).href);
      found.push(...Object.keys(problemCodes));
    }
  }
  return found;
}

function isTable(value: unknown): value is Record<string, Maker> {
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((make) => typeof make === "function" && "code" in make);
}

function sources(folder: string): { readonly path: string; readonly text: string }[] {
  return readdirSync(join(root, folder, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => ({ path: `${folder}/src/${file}`, text: readFileSync(join(root, folder, "src", file), "utf8") }));
}
