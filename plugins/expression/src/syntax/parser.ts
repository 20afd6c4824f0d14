import { expressionErrors } from "../errors.ts";
import { type Token, tokenize } from "./lexer.ts";
import type { Node } from "./tree.ts";

/** How tightly each operator holds; those of one level are read from the left, `^` from the right. */
const LEVELS: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  "==": 3,
  "!=": 3,
  "<": 3,
  ">": 3,
  "<=": 3,
  ">=": 3,
  in: 3,
  "not in": 3,
  "+": 4,
  "-": 4,
  "*": 6,
  "/": 6,
  "%": 6,
  "^": 7,
  "??": 8,
};
/** `not` takes a sum, but no comparison. */
const NOT_TAKES = 4;
const SIGN_TAKES = 9;
const MAX_DEPTH = 200;
/** Each is a call within a call; `in [ … ]` takes lists of any length. */
const MAX_CHAIN = 1000;

const WORD_OPERATORS = ["and", "or", "in"];

/** Parses a standard expression. Throws a `config` error that shows the place. */
export function parseExpression(source: string): Node {
  return new Parser(source, tokenize(source), 0).program();
}

/**
 * Parses a unary expression, which is about one value, `$`: tests with commas between them, of which one must hold. A
 * test is a comparison without its left side (`> 5`, `in ["a"]`), a range, any expression with `$` in it, or a value.
 */
export function parseUnary(source: string): Node {
  return new Parser(source, tokenize(source), 0).tests();
}

class Parser {
  private readonly source: string;
  private readonly tokens: readonly Token[];
  private at = 0;
  private depth: number;
  private readsSubject = false;

  constructor(source: string, tokens: readonly Token[], depth: number) {
    this.source = source;
    this.tokens = tokens;
    this.depth = depth;
  }

  program(): Node {
    const start = this.token.at;
    const sets: [string, Node][] = [];
    let result: Node | undefined;
    while (this.token.kind !== "end") {
      if (this.token.kind === "name" && this.peekIs(1, "=")) {
        const name = this.take().text;
        this.take();
        sets.push([name, this.expression()]);
      } else {
        result = this.expression();
        break;
      }
      if (!this.takes(";")) break;
    }
    if (sets.length === 0 && result === undefined) throw this.unexpected();
    this.end();
    if (sets.length === 0) return result!;
    return { type: "block", at: start, sets, ...(result ? { result } : {}) };
  }

  tests(): Node {
    let any = this.test();
    while (this.takes(",")) {
      any = { type: "binary", at: any.at, operator: "or", left: any, right: this.test() };
    }
    this.end();
    return any;
  }

  private test(): Node {
    const { at } = this.token;
    const subject: Node = { type: "name", at, name: "$" };
    const operator = this.comparison();
    if (operator !== undefined) return { type: "binary", at, operator, left: subject, right: this.binary(4) };
    this.readsSubject = false;
    const value = this.expression();
    if (this.readsSubject) return value;
    return { type: "binary", at, operator: value.type === "interval" ? "in" : "==", left: subject, right: value };
  }

  private comparison(): string | undefined {
    const operator = this.infix();
    if (operator === undefined || LEVELS[operator] !== 3) return undefined;
    this.takeInfix(operator);
    return operator;
  }

  private expression(): Node {
    if (++this.depth > MAX_DEPTH) throw this.fault(this.token.at, "it nests too deep");
    const node = this.choice();
    this.depth--;
    return node;
  }

  private choice(): Node {
    const when = this.binary(1);
    if (!this.takes("?")) return when;
    const then = this.expression();
    this.expect(":");
    return { type: "choice", at: when.at, when, then, other: this.expression() };
  }

  private binary(level: number): Node {
    let left = this.unary();
    for (let count = 0; ; count++) {
      const operator = this.infix();
      if (operator === undefined || LEVELS[operator]! < level) return left;
      if (count === MAX_CHAIN) throw this.fault(this.token.at, `more than ${MAX_CHAIN} operators in a row`);
      const { at } = this.token;
      this.takeInfix(operator);
      const right = this.binary(operator === "^" ? LEVELS[operator]! : LEVELS[operator]! + 1);
      left = { type: "binary", at, operator, left, right };
    }
  }

  private infix(): string | undefined {
    const { kind, text } = this.token;
    if (kind !== "operator") return undefined;
    if (text === "not") return this.peekIs(1, "in") ? "not in" : undefined;
    return Object.hasOwn(LEVELS, text) ? text : undefined;
  }

  private takeInfix(operator: string): void {
    this.take();
    if (operator === "not in") this.take();
  }

  private unary(): Node {
    const { at, kind, text } = this.token;
    if (kind !== "operator" || (text !== "not" && text !== "-" && text !== "+")) return this.postfix();
    if (++this.depth > MAX_DEPTH) throw this.fault(at, "it nests too deep");
    this.take();
    const of = this.binary(text === "not" ? NOT_TAKES : SIGN_TAKES);
    this.depth--;
    return { type: "unary", at, operator: text, of };
  }

  private postfix(): Node {
    let node = this.primary();
    for (;;) {
      const { at } = this.token;
      if (this.takes(".")) {
        if (this.token.kind !== "name") throw this.unexpected("a field");
        const name = this.take().text;
        if (this.takes("(")) node = { type: "method", at, of: node, name, inputs: this.list(")") };
        else node = { type: "member", at, of: node, key: { type: "literal", at, value: name } };
      } else if (this.takes("[")) node = this.subscript(node, at);
      else return node;
    }
  }

  private subscript(of: Node, at: number): Node {
    if (this.takes(":")) {
      const to = this.binary(1);
      this.expect("]");
      return { type: "slice", at, of, to };
    }
    const key = this.binary(1);
    if (!this.takes(":")) {
      this.expect("]");
      return { type: "member", at, of, key };
    }
    const to = this.is("]") ? undefined : this.binary(1);
    this.expect("]");
    return { type: "slice", at, of, from: key, ...(to ? { to } : {}) };
  }

  private primary(): Node {
    const token = this.token;
    const { at, kind, text } = token;
    if (kind === "number") return this.took({ type: "number", at, text });
    if (kind === "text") return this.took({ type: "literal", at, value: text });
    if (kind === "template") {
      const parts = token.parts!.map((part) => (typeof part === "string" ? part : this.inside(part.source, part.at)));
      return this.took({ type: "template", at, parts });
    }
    if (kind === "name") return this.name();
    if (this.takes("(")) return this.bracketed(at, false);
    if (this.is("]")) {
      this.take();
      return this.interval(this.binary(1), at, false);
    }
    if (this.takes("[")) return this.bracketed(at, true);
    if (this.takes("{")) return this.object(at);
    throw this.unexpected();
  }

  private name(): Node {
    const { at, text } = this.take();
    if (text === "true" || text === "false") return { type: "literal", at, value: text === "true" };
    if (text === "null") return { type: "literal", at, value: null };
    if (text === "$") this.readsSubject = true;
    if (this.takes("(")) return { type: "call", at, name: text, inputs: this.list(")") };
    return { type: "name", at, name: text };
  }

  /** A parenthesis or a list, either of which may turn out to be a range: `(1..5]`. */
  private bracketed(at: number, closed: boolean): Node {
    if (closed && this.takes("]")) return { type: "list", at, items: [] };
    const first = this.expression();
    if (this.is("..")) return this.interval(first, at, closed);
    if (!closed) {
      this.expect(")");
      return first;
    }
    const items = [first];
    while (this.takes(",")) {
      if (this.is("]")) break;
      items.push(this.expression());
    }
    this.expect("]");
    return { type: "list", at, items };
  }

  private interval(from: Node, at: number, closed: boolean): Node {
    this.expect("..");
    const to = this.binary(1);
    if (this.takes("]")) return { type: "interval", at, from, to, closed: [closed, true] };
    if (!this.takes(")")) this.expect("[");
    return { type: "interval", at, from, to, closed: [closed, false] };
  }

  private object(at: number): Node {
    const members: [Node, Node][] = [];
    if (this.takes("}")) return { type: "object", at, members };
    do {
      const key = this.key();
      this.expect(":");
      members.push([key, this.expression()]);
    } while (this.takes(","));
    this.expect("}");
    return { type: "object", at, members };
  }

  private key(): Node {
    if (this.takes("[")) {
      const key = this.expression();
      this.expect("]");
      return key;
    }
    const { kind, at, text } = this.token;
    const word = kind === "operator" && /^[a-z]+$/.test(text);
    if (kind !== "name" && kind !== "text" && kind !== "number" && !word) throw this.unexpected("a key");
    return this.took({ type: "literal", at, value: text });
  }

  private list(close: string): Node[] {
    const items: Node[] = [];
    if (this.takes(close)) return items;
    do items.push(this.expression());
    while (this.takes(","));
    this.expect(close);
    return items;
  }

  /** An expression inside of a template; its tokens are placed in the whole source. */
  private inside(source: string, offset: number): Node {
    const tokens = tokenize(" ".repeat(offset) + source);
    const parser = new Parser(this.source, tokens, this.depth + 1);
    const node = parser.expression();
    parser.end();
    this.readsSubject ||= parser.readsSubject;
    return node;
  }

  private get token(): Token {
    return this.tokens[this.at]!;
  }

  private take(): Token {
    const token = this.token;
    if (token.kind !== "end") this.at++;
    return token;
  }

  private took<N extends Node>(node: N): N {
    this.take();
    return node;
  }

  private is(operator: string): boolean {
    return this.token.kind === "operator" && this.token.text === operator;
  }

  private peekIs(ahead: number, operator: string): boolean {
    const token = this.tokens[this.at + ahead];
    return token?.kind === "operator" && token.text === operator;
  }

  private takes(operator: string): boolean {
    if (!this.is(operator)) return false;
    this.at++;
    return true;
  }

  private expect(operator: string): void {
    if (!this.takes(operator)) throw this.unexpected(`"${operator}"`);
  }

  private end(): void {
    if (this.token.kind !== "end") throw this.unexpected("the end");
  }

  private unexpected(expected?: string): Error {
    const { kind, text, at } = this.token;
    if (kind === "end") return this.fault(at, "the expression ends too early");
    const found = kind === "template" ? text : `"${text}"`;
    // Between two values an operator is missing, which may be written wrongly.
    const near =
      kind === "name" && expected === "the end" ? WORD_OPERATORS.find((one) => isSlip(text, one)) : undefined;
    const wanted = expected === undefined || expected === "the end" ? "" : `, but ${expected}`;
    return this.fault(at, `${found} is not expected here${wanted}`, near);
  }

  private fault(at: number, reason: string, near?: string): Error {
    const place = { source: this.source, at: Math.min(at, this.source.length) };
    return expressionErrors.SYNTAX({ ...place, reason, ...(near === undefined ? {} : { near }) });
  }
}

/** The word in capitals, with two letters swapped, or with one too many or too few. */
function isSlip(text: string, word: string): boolean {
  const lower = text.toLowerCase();
  if ([...lower].sort().join("") === [...word].sort().join("")) return true;
  const [short, long] = lower.length < word.length ? [lower, word] : [word, lower];
  const without = (at: number): string => long.slice(0, at) + long.slice(at + 1);
  return long.length === short.length + 1 && [...long].some((_, at) => without(at) === short);
}
