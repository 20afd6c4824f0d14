import { type Document, type ErrorCode, parseDocument, visit } from "yaml";
import type { Environment } from "../environment.ts";
import { type ConvertOptions, convert } from "./convert.ts";
import { type DeferredText, deferReferences } from "./deferred.ts";
import { nodesOf } from "./full.ts";
import type { TextNode } from "./nodes.ts";
import { type IndexedText, indexLines, locationAt, NO_CHILDREN, type Place, type SourceText } from "./place.ts";
import type { DocumentProblem } from "./problem.ts";
import { readQuickly } from "./quick.ts";
import { substitute } from "./substitute.ts";

/** A text turned into plain values, with the place of each. */
export interface ParsedText {
  /** Absent when the text cannot be parsed. */
  readonly value?: unknown;
  readonly place: Place;
  readonly problems: readonly DocumentProblem[];
  /** Names of all variables that the text refers to. */
  readonly variables: ReadonlySet<string>;
}

/** How the parser says that a value holds `: `. */
const COLON_IN_VALUE = "Nested mappings are not allowed in compact mappings";
const HINTS: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: "indent with spaces",
  BAD_SCALAR_START: "put the value in quotes",
  BAD_DQ_ESCAPE: "write \\\\ for a backslash, or use single quotes",
  BLOCK_AS_IMPLICIT_KEY: "put the whole value in quotes",
  TAG_RESOLVE_FAILED: "put a value that begins with ! in quotes",
};
/** In UTF-16 units; parsing takes time in proportion, and a configuration of 5,000 routes has less. */
const MAX_TEXT = 1024 * 1024;
/** One slip may make the parser stumble over everything that follows. */
const MAX_ERRORS = 50;

/** Reads YAML 1.2 or JSON and puts variables in. Throws nothing: what is wrong with the text is a problem with a place. */
export function parseText(written: SourceText, environment: Environment): ParsedText {
  if (written.text.length > MAX_TEXT) return tooLong(written);
  const source = indexLines(written);
  const fromProcess = (name: string): string | undefined => environment[name];
  const asWritten = parseYaml(source.text, source);
  if (asWritten.errors.length === 0) {
    const own = envVars(asWritten.root, fromProcess);
    return finish(asWritten.root, source, { lookup: (name) => fromProcess(name) ?? own[name] });
  }
  if (source.format === "json") return failed(source, asWritten.errors);

  // `{ path: ${FILE} }` is no YAML until the variable is put in. That cannot be one of the file's own env_vars, which are
  // known only after parsing.
  const deferred = deferReferences(source.text, fromProcess);
  if (deferred.text === source.text) return failed(source, asWritten.errors);
  const again = parseYaml(deferred.text, source, deferred);
  if (again.errors.length > 0) return failed(source, again.errors);
  const own = envVars(again.root, fromProcess, deferred);
  return finish(again.root, source, { lookup: (name) => fromProcess(name) ?? own[name], deferred });
}

interface Parsed {
  /** Absent when the text is empty. */
  readonly root?: TextNode | undefined;
  readonly errors: readonly DocumentProblem[];
}

function parseYaml(text: string, source: IndexedText, deferred?: DeferredText): Parsed {
  const quick = readQuickly(text);
  if (quick && (source.format === "yaml" || strictJson(source).length === 0)) return { root: quick, errors: [] };
  // With `silent`, a second document would be left out without a word. Duplicate keys are found in the conversion: the
  // parser compares every key with every other.
  const document = parseDocument(text, {
    merge: source.format === "yaml",
    prettyErrors: false,
    logLevel: "error",
    uniqueKeys: false,
  });
  const unclosed = unclosedQuote(document, source, deferred);
  if (unclosed.length > 0) return { root: undefined, errors: unclosed };
  const errors: DocumentProblem[] = [];
  const lines = new Set<number>();
  for (const error of [...document.errors, ...document.warnings]) {
    const at = locationAt(source, deferred?.origin(error.pos[0]) ?? error.pos[0]);
    // One slip makes the parser stumble over the rest of the line.
    if (lines.has(at.line)) continue;
    if (lines.size >= MAX_ERRORS) break;
    lines.add(at.line);
    errors.push({ level: "error", path: [], at, ...describe(error.code, error.message, source, at) });
  }
  if (source.format === "json" && errors.length === 0) errors.push(...strictJson(source));
  return { root: nodesOf(document), errors };
}

/** YAML takes more than JSON does: comments, single quotes, a comma at the end. */
function strictJson(source: IndexedText): DocumentProblem[] {
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
  source: IndexedText,
  at: { readonly line: number },
): { code: string; message: string; hint?: string } {
  const fault = { code: "MQB_CONFIG_SYNTAX" };
  if (code === "MULTIPLE_DOCS") {
    const hint = "remove the line ---, and put the routes into one map";
    return { ...fault, message: "a second document begins here; a configuration is one", hint };
  }
  if (/call stack/.test(message))
    return { code: "MQB_CONFIG_TOO_MUCH", message: "values are nested more deeply than any configuration is" };
  const line = source.text.slice(source.lines[at.line - 1], source.lines[at.line]);
  const what = message.startsWith(COLON_IN_VALUE) ? 'the value holds ": ", which begins a map' : withoutQuotes(message);
  const text = `${notWhat(source)}: ${what}`;
  const reference = /\$\{[A-Za-z_]\w*[^}]*\}/.exec(line.slice(0, line.lastIndexOf("}") + 1))?.[0];
  if (reference !== undefined)
    return { ...fault, message: text, hint: `put the value with ${nameOf(reference)} in quotes` };
  const hint = HINTS[code];
  if (hint !== undefined) return { ...fault, message: text, hint };
  return { ...fault, message: text };
}

function notWhat({ format }: SourceText): string {
  return `not ${format === "json" ? "JSON" : "YAML"}`;
}

/** The parser finds at the end of the text that a quote is not closed; what follows from that is no fault of its own. */
function unclosedQuote(document: Document.Parsed, source: IndexedText, deferred?: DeferredText): DocumentProblem[] {
  if (!document.errors.some(({ message }) => /^Missing closing ["']quote/.test(message))) return [];
  let start: number | undefined;
  visit(document, {
    Scalar(_, { type, range }) {
      if ((type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE") && range) start = Math.max(start ?? 0, range[0]);
    },
  });
  if (start === undefined) return [];
  const offset = deferred?.origin(start) ?? start;
  const quote = source.text[offset];
  const message = `${notWhat(source)}: the quote ${quote} that opens here is never closed`;
  const at = locationAt(source, offset);
  return [{ level: "error", code: "MQB_CONFIG_SYNTAX", path: [], message, hint: `add the closing ${quote}`, at }];
}

/** A default may be a secret. */
function nameOf(reference: string): string {
  return reference.replace(/:-.*$/, ":-…}");
}

/** The parser quotes what it stumbled over, which may be a part of a secret that nobody has learned yet. */
function withoutQuotes(message: string): string {
  return message
    .replace(/(?<=\w): .*$/s, "")
    .replace(/(escape sequence|Unknown directive) .*$/s, "$1")
    .replace(/ ![^\s]*/g, "");
}

function finish(root: TextNode | undefined, source: IndexedText, options: ConvertOptions): ParsedText {
  const { value, place, problems, variables, gaveUp } = convert(root, source, options);
  // Nobody has looked at all values, so none may be shown.
  if (gaveUp) return failed(source, problems);
  if (problems.some((problem) => problem.level === "error")) return { place, problems, variables };
  return { value, place, problems, variables };
}

function failed(source: IndexedText, problems: readonly DocumentProblem[]): ParsedText {
  return { place: { source, value: 0, children: NO_CHILDREN }, problems, variables: new Set() };
}

function tooLong({ name, format, text }: SourceText): ParsedText {
  const source = indexLines({ name, format, text: "" });
  const megabytes = (text.length / (1024 * 1024)).toFixed(1);
  const message = `the text has ${megabytes} million characters; a configuration has at most ${MAX_TEXT / (1024 * 1024)}`;
  const at = locationAt(source, 0);
  return failed(source, [{ level: "error", code: "MQB_CONFIG_TOO_MUCH", path: [], message, at }]);
}

/** The `env_vars` of the document, as text. They may refer to the process environment. */
function envVars(
  root: TextNode | undefined,
  lookup: (name: string) => string | undefined,
  deferred?: DeferredText,
): Readonly<Record<string, string>> {
  const vars: Record<string, string> = Object.create(null);
  if (root?.kind !== "map") return vars;
  for (const { key, value } of root.pairs) {
    if (key?.kind !== "scalar" || (key.value !== "env_vars" && key.value !== "envVars") || value?.kind !== "map")
      continue;
    for (const { key: name, value: item } of value.pairs) {
      if (name?.kind !== "scalar" || item?.kind !== "scalar") continue;
      // A number such as 012345 is its text here, as in the environment.
      vars[name.text] = substitute(deferred?.restore(item.text) ?? item.text, lookup).text;
    }
  }
  return vars;
}
