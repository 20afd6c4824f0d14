import { type Document, type ErrorCode, isMap, isPair, isScalar, type Node, parseDocument } from "yaml";
import type { Environment } from "../environment.ts";
import { type ConvertOptions, convert } from "./convert.ts";
import { type DeferredText, deferReferences } from "./deferred.ts";
import { locationAt, type Place, type SourceText } from "./place.ts";
import type { DocumentProblem } from "./problem.ts";

/** A text turned into plain values, with the place of each. */
export interface ParsedText {
  /** Absent when the text cannot be parsed. */
  readonly value?: unknown;
  readonly place: Place;
  readonly problems: readonly DocumentProblem[];
}

/** Reads YAML 1.2 or JSON and puts variables in. Throws nothing: what is wrong with the text is a problem with a place. */
export function parseText(source: SourceText, environment: Environment): ParsedText {
  const fromProcess = (name: string): string | undefined => environment[name];
  const asWritten = parseYaml(source.text, source);
  if (asWritten.errors.length === 0) {
    const own = envVars(asWritten.document, source, fromProcess);
    return finish(asWritten.document, source, { lookup: (name) => fromProcess(name) ?? own[name] });
  }
  if (source.format === "json") return failed(source, asWritten.errors);

  // `{ path: ${FILE} }` is no YAML until the variable is put in. The file's own env_vars cannot take part here.
  const deferred = deferReferences(source.text, fromProcess);
  const again = parseYaml(deferred.text, source, deferred);
  if (again.errors.length > 0) return failed(source, again.errors);
  return finish(again.document, source, { lookup: fromProcess, deferred });
}

interface Parsed {
  readonly document: Document.Parsed;
  readonly errors: readonly DocumentProblem[];
}

function parseYaml(text: string, source: SourceText, deferred?: DeferredText): Parsed {
  // With `silent`, a second document would be left out without a word.
  const document = parseDocument(text, { merge: source.format === "yaml", prettyErrors: false, logLevel: "error" });
  const errors: DocumentProblem[] = [];
  const lines = new Set<number>();
  for (const error of [...document.errors, ...document.warnings]) {
    const at = locationAt(source, deferred?.origin(error.pos[0]) ?? error.pos[0]);
    // One slip makes the parser stumble over the rest of the line.
    if (lines.has(at.line)) continue;
    lines.add(at.line);
    errors.push({ level: "error", path: [], at, ...describe(error.code, error.message, source, at) });
  }
  if (source.format === "json" && errors.length === 0) errors.push(...strictJson(source));
  return { document: document as Document.Parsed, errors };
}

/** YAML takes more than JSON does: comments, single quotes, a comma at the end. */
function strictJson(source: SourceText): DocumentProblem[] {
  try {
    JSON.parse(source.text);
    return [];
  } catch (error) {
    const { message } = error as Error;
    const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? 0);
    // Node may quote the text around the place, which may be a secret that nobody has learned yet.
    const reason = message.replace(/, (?:\.\.\.)?".*$/s, "");
    return [
      {
        level: "error",
        code: "MQB_CONFIG_SYNTAX",
        path: [],
        message: `not JSON: ${reason}`,
        at: locationAt(source, offset),
      },
    ];
  }
}

function describe(
  code: ErrorCode,
  message: string,
  source: SourceText,
  at: { offset: number; line: number },
): { code: string; message: string; hint?: string } {
  if (code === "DUPLICATE_KEY") {
    const key = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^:\n]*)/.exec(source.text.slice(at.offset))?.[0].trim() ?? "";
    return { code: "MQB_CONFIG_DUPLICATE_KEY", message: `the key ${key} is written twice in one map` };
  }
  if (code === "MULTIPLE_DOCS") {
    const hint = "remove the line ---, and put the routes into one map";
    return { code: "MQB_CONFIG_SYNTAX", message: "a second document begins here; a configuration is one", hint };
  }
  const line = source.text.split("\n")[at.line - 1] ?? "";
  const reference = /\$\{[^}]*\}/.exec(line)?.[0];
  return {
    code: "MQB_CONFIG_SYNTAX",
    message: `not ${source.format === "json" ? "JSON" : "YAML"}: ${message}`,
    ...(reference === undefined ? {} : { hint: `put the value with ${reference} in quotes` }),
  };
}

function finish(document: Document.Parsed, source: SourceText, options: ConvertOptions): ParsedText {
  const { value, place, problems } = convert(document, source, options);
  if (problems.some((problem) => problem.level === "error")) return { place, problems };
  return { value, place, problems };
}

function failed(source: SourceText, problems: readonly DocumentProblem[]): ParsedText {
  return { place: { source, value: 0, children: new Map() }, problems };
}

/** The `env_vars` of the document, as text. They may refer to the process environment. */
function envVars(
  document: Document.Parsed,
  source: SourceText,
  lookup: (name: string) => string | undefined,
): Readonly<Record<string, string>> {
  const vars: Record<string, string> = Object.create(null);
  if (!isMap(document.contents)) return vars;
  for (const pair of document.contents.items as unknown[]) {
    if (!isPair(pair) || !isScalar(pair.key)) continue;
    if ((pair.key.value !== "env_vars" && pair.key.value !== "envVars") || !isMap(pair.value)) continue;
    const { value } = convert(document, source, { lookup }, pair.value as Node);
    for (const [name, one] of Object.entries(value as Record<string, unknown>)) {
      if (one !== null && typeof one !== "object") vars[name] = String(one);
    }
  }
  return vars;
}
