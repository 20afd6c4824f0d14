import { expressionErrors } from "../errors.ts";

export interface Token {
  readonly kind: "number" | "text" | "name" | "operator" | "template" | "end";
  /** The operator or name, the content of a text, a number without its underscores. */
  readonly text: string;
  /** Offset in the source. */
  readonly at: number;
  /** Texts and expressions of a template, in turn, beginning and ending with a text. */
  readonly parts?: readonly (string | { readonly source: string; readonly at: number })[];
}

const OPERATORS = ["==", "!=", "<=", ">=", "??", "&&", "||", "..", ..."+-*/%^<>=?:,.;()[]{}!"];
const WORDS: Readonly<Record<string, string>> = { and: "and", or: "or", not: "not", in: "in" };
const BLANK = /\s*/y;
const NUMBER = /\d[\d_]*(?:\.(?!\.)[\d_]*)?(?:e[+-]?\d+)?/y;
const NAME = /[A-Za-z_$#][\w$#]*/y;

/** Takes a source apart. The last token is `end`. Throws a `config` error that shows the place. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at = behind(BLANK, source, at)!;
    if (at >= source.length) break;
    const [token, next] = tokenAt(source, at);
    tokens.push(token);
    at = next;
  }
  tokens.push({ kind: "end", text: "the end", at: source.length });
  return tokens;
}

function tokenAt(source: string, at: number): [Token, number] {
  const first = source[at]!;
  if (first === '"' || first === "'") {
    const close = source.indexOf(first, at + 1);
    if (close < 0) throw unexpected(source, at, "a text that is not closed");
    return [{ kind: "text", text: source.slice(at + 1, close), at }, close + 1];
  }
  if (first === "`") return template(source, at);
  const number = behind(NUMBER, source, at);
  if (number !== undefined) {
    return [{ kind: "number", text: source.slice(at, number).replaceAll("_", ""), at }, number];
  }
  const name = behind(NAME, source, at);
  if (name !== undefined) {
    const text = source.slice(at, name);
    const word = Object.hasOwn(WORDS, text) ? WORDS[text] : undefined;
    return [{ kind: word === undefined ? "name" : "operator", text: word ?? text, at }, name];
  }
  const operator = OPERATORS.find((one) => source.startsWith(one, at));
  if (operator === undefined) {
    const shown = String.fromCodePoint(source.codePointAt(at)!);
    throw unexpected(source, at, `"${shown}" is not expected here`);
  }
  // The spelling of other languages.
  const text = operator === "&&" ? "and" : operator === "||" ? "or" : operator === "!" ? "not" : operator;
  return [{ kind: "operator", text, at }, at + operator.length];
}

function template(source: string, start: number): [Token, number] {
  const parts: (string | { source: string; at: number })[] = [];
  let text = "";
  let at = start + 1;
  while (source[at] !== "`") {
    if (at >= source.length) throw unexpected(source, start, "a template that is not closed");
    if (!source.startsWith("${", at)) {
      text += source[at++];
      continue;
    }
    const close = source.indexOf("}", at);
    if (close < 0) throw unexpected(source, at, "a ${ that is not closed");
    parts.push(text, { source: source.slice(at + 2, close), at: at + 2 });
    text = "";
    at = close + 1;
  }
  parts.push(text);
  return [{ kind: "template", text: "a template", at: start, parts }, at + 1];
}

function behind(pattern: RegExp, source: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : undefined;
}

function unexpected(source: string, at: number, reason: string): Error {
  return expressionErrors.SYNTAX({ source, at, reason });
}
