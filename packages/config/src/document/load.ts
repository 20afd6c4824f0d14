import { readFile } from "node:fs/promises";
import type { Environment } from "../environment.ts";
import { configErrors } from "../errors.ts";
import { type AppSettings, readApp, type WrittenRoute } from "./app.ts";
import { overlay } from "./merge.ts";
import { parseText } from "./parse.ts";
import { locate, type Place, type Source, type SourceText } from "./place.ts";
import type { DocumentProblem } from "./problem.ts";

/** A configuration as written: parsed, variables put in, taken apart; its routes are not checked yet. */
export interface Configuration {
  readonly settings: AppSettings;
  readonly routes: readonly WrittenRoute[];
  /** Where every value was written. */
  readonly place: Place;
  /** Of the texts and their top level. With an error among them, `routes` may be incomplete. */
  readonly problems: readonly DocumentProblem[];
  /** What it was read from; later ones win. */
  readonly sources: readonly Source[];
}

/** Reads a file as configuration text: `.json` is JSON, everything else YAML. Throws a `config` error when it cannot. */
export async function readSource(path: string): Promise<SourceText> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason =
      code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : (error as Error).message;
    throw configErrors.CANNOT_READ({ path, reason }, { cause: error });
  }
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  return { name: path, text, format: /\.json$/i.test(path) ? "json" : "yaml" };
}

/** Parses texts and lays each over the ones before it. Without a text the configuration is empty. */
export function loadConfiguration(sources: readonly SourceText[], environment: Environment): Configuration {
  const problems: DocumentProblem[] = [];
  let document: { value: unknown; place: Place } = { value: undefined, place: NOWHERE };
  for (const source of sources) {
    const parsed = parseText(source, environment);
    problems.push(...parsed.problems);
    // An empty text has nothing to lay over.
    document = overlay(document, { value: parsed.value ?? undefined, place: parsed.place });
  }
  const app = readApp(document.value);
  const located = app.problems.map((problem) => ({ ...problem, at: locate(document.place, problem.path) }));
  return {
    settings: app.settings,
    routes: app.routes,
    place: document.place,
    problems: [...problems, ...located],
    sources,
  };
}

const NOWHERE: Place = {
  source: { name: "(no configuration)", text: "", format: "yaml" },
  value: 0,
  children: new Map(),
};
