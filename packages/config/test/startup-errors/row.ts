import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";

export type Level = "error" | "warning" | "note";

/** One mistake in a configuration, and what mqb must say about it. */
export interface Row {
  readonly section: string;
  readonly what: string;
  /** What is written, as a document. */
  readonly document: string;
  readonly level: Level;
  /** One message names all of them, in any case, its place included. */
  readonly names: readonly string[];
  /** No message holds one of these. */
  readonly never: readonly string[];
  /** Packages that are not installed. */
  readonly without: readonly string[];
  /** What must be there for it to be found: `@mqb/x`, or `@mqb/x name`. */
  readonly needs?: string;
  /** It is found when the route starts; the test that shows it. */
  readonly start?: string;
}

interface Written extends Readonly<Partial<Record<Level, readonly string[]>>> {
  readonly what: string;
  /** A route without the sides that do not matter; `whole` says that nothing is left out. */
  readonly yaml: string;
  readonly whole?: "route" | "document";
  readonly never?: readonly string[];
  readonly without?: readonly string[];
  readonly needs?: string;
  readonly start?: string;
}

const folder = new URL("rows/", import.meta.url);
const LEVELS: readonly Level[] = ["error", "warning", "note"];

export function readRows(): Row[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const written = parse(readFileSync(new URL(file, folder), "utf8")) as Written[];
      return written.map((row) => readRow(row, file.replace(".yaml", "")));
    });
}

function readRow(row: Written, section: string): Row {
  const { what, never = [], without = [], needs, start } = row;
  const level = LEVELS.find((one) => row[one])!;
  const names = row[level]!;
  const document = documentOf(row);
  return {
    section,
    what,
    document,
    level,
    names,
    never,
    without,
    ...(needs === undefined ? {} : { needs }),
    ...(start === undefined ? {} : { start }),
  };
}

function documentOf({ yaml, whole }: Written): string {
  if (whole === "document") return yaml;
  if (whole === "route") return `routes: {r: ${yaml}}`;
  const written = parse(yaml, { logLevel: "silent" }) as Readonly<Record<string, unknown>>;
  const missing = ["input", "output"].filter((side) => !(side in written));
  const sides = missing.map((side) => `${side}: {memory: {topic: ${side === "input" ? "in" : "out"}}}, `);
  return `routes: {r: {${sides.join("")}${yaml.slice(1)}}`;
}
