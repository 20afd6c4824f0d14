import type { JsonValue } from "@mqb/json";
import { member } from "./compile/access.ts";
import { compile } from "./compile/compile.ts";
import { Fields } from "./compile/fields.ts";
import { type Code, Frame, type Source } from "./compile/frame.ts";
import { parseExpression, parseUnary } from "./syntax/parser.ts";
import type { Node } from "./syntax/tree.ts";
import { fromJson, toJson, type Value } from "./value.ts";

/** A compiled expression over plain JSON: for tools and tests, where no message is at hand. */
export interface Expression {
  /** The value as JSON text. `context` is an object, whose members are the names; `$` and `meta` come from it as well. */
  evaluate(context: JsonValue): string;
}

/** Compiles a standard expression. Throws `config` errors. */
export function compileExpression(source: string): Expression {
  return over(source, parseExpression(source));
}

/** Compiles a unary expression, a test of the context's member `$`. Throws `config` errors. */
export function compileUnary(source: string): Expression {
  return over(source, parseUnary(source));
}

function over(source: string, node: Node): Expression {
  const fields = new Fields();
  const code = compile(node, { source, fields, given: new Set() });
  return { evaluate: (context) => toJson(evaluate(code, fields, fromJson(context))) };
}

function evaluate(code: Code, fields: Fields, context: Value): Value {
  const at = (path: readonly (string | number)[]): Value => path.reduce<Value>(member, context);
  const source: Source = {
    field: (slot) => at(fields.paths[slot]!),
    plainNumber: () => undefined,
    isText: (slot, text) => at(fields.paths[slot]!) === text,
    meta: (key) => at(["meta", key]),
    wholeMeta: () => at(["meta"]),
    root: () => context,
  };
  const frame = new Frame(source);
  frame.locals.set("$", at(["$"]));
  return code(frame);
}
