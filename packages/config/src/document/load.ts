import { readFile } from "node:fs/promises";
import type { Environment } from "../environment.ts";
import { configErrors } from "../errors.ts";
import { variableSecrets } from "../redact/variable-secrets.ts";
import { readApp } from "./app.ts";
import { createExcerpts, textLeaves } from "./excerpt.ts";
import { overlay, type Placed } from "./merge.ts";
import { override } from "./override.ts";
import { parseText } from "./parse.ts";
import { locate, NO_CHILDREN, type Place, type Source, type SourceText, type SourceValue } from "./place.ts";
import { placeValue } from "./place-value.ts";
import { type DocumentProblem, inDocumentOrder } from "./problem.ts";
import type { NamedEndpoint } from "./publishers.ts";
import type { WrittenRoute } from "./routes.ts";
import type { AppSettings } from "./settings.ts";

/** A configuration as written: parsed, variables put in, taken apart; its routes are not checked yet. */
export interface Configuration {
  readonly settings: AppSettings;
  readonly routes: readonly WrittenRoute[];
  /** Endpoints with a name, for `ref`. */
  readonly publishers: readonly NamedEndpoint[];
  /** The whole of it, as plain values. What variables were put into is a text until its field says what it takes. */
  readonly document: unknown;
  /** Where every value was written. */
  readonly place: Place;
  /** Whether variables were put into any value. */
  readonly hasFilled: boolean;
  /** The places of each source by itself, also of what later ones replaced. */
  readonly texts: readonly Place[];
  /** Of the texts and their top level. With an error among them, `routes` may be incomplete. */
  readonly problems: readonly DocumentProblem[];
  /** What it was read from; later ones win. Variables that set a value come last. */
  readonly sources: readonly Source[];
  /** Values of the variables that stand in secret fields, beside the fields themselves. */
  readonly secrets: readonly string[];
}

/** Reads a file as configuration text: `.json` is JSON, everything else YAML. Throws a `config` error when it cannot. */
export async function readSource(path: string): Promise<SourceText> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    // The system's own words would say the same once more, with the path.
    throw configErrors.CANNOT_READ({ path, reason: reasonOf(error as NodeJS.ErrnoException) });
  }
  if (bytes.includes(0)) throw configErrors.CANNOT_READ({ path, reason: "it is no UTF-8 text; save it as UTF-8" });
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  return { name: path, text, format: /\.json$/i.test(path) ? "json" : "yaml" };
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === "ENOENT") return "there is no such file";
  return code === "EISDIR" ? "it is a folder" : message.replace(/, \w+ '.*'$/s, "");
}

/**
 * Reads sources and lays each over the ones before it; the variables `MQB__A__B__C` of the environment come last. Without
 * a source the configuration is empty. Throws nothing: what is wrong is a problem with a place.
 */
export function loadConfiguration(
  sources: readonly (SourceText | SourceValue)[],
  environment: Environment,
): Configuration {
  const problems: DocumentProblem[] = [];
  const referenced = new Set<string>();
  const trees: Place[] = [];
  let document: Placed = { value: undefined, place: NOWHERE };
  for (const source of sources) {
    const parsed = "text" in source ? parseText(source, environment) : placeValue(source);
    problems.push(...parsed.problems);
    trees.push(parsed.place);
    for (const name of parsed.variables) referenced.add(name);
    // An empty text has nothing to lay over; it is still the place where nothing is written.
    if (document.place === NOWHERE) document = { ...document, place: parsed.place };
    document = overlay(document, { value: parsed.value ?? undefined, place: parsed.place });
  }
  const overridden = override(document, environment, referenced);
  const { value, place } = overridden;
  const app = readApp(value, place);
  const located = app.problems.map((problem) => ({ ...problem, at: locate(place, problem.path) }));
  const all = [...sources, ...overridden.sources];
  const found = inDocumentOrder([...problems, ...overridden.problems, ...located], all);
  return {
    settings: app.settings,
    routes: app.routes,
    publishers: app.publishers,
    document: value,
    place,
    hasFilled: referenced.size > 0 || overridden.sources.length > 0,
    texts: trees,
    problems: found.map(createExcerpts(() => trees.flatMap(textLeaves))),
    sources: all,
    secrets: referenced.size === 0 ? [] : variableSecrets(value, place, environment),
  };
}

const NOWHERE: Place = {
  source: { name: "(no configuration)", text: "", format: "yaml" },
  value: 0,
  children: NO_CHILDREN,
};
