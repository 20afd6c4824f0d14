import type { Computation, MessageBatch } from "@mqb/core/plugin";
import { parseJson } from "@mqb/json";
import { compile } from "./compile/compile.ts";
import { Fields } from "./compile/fields.ts";
import { Frame } from "./compile/frame.ts";
import { MessageSource } from "./message-source.ts";
import { parseExpression } from "./syntax/parser.ts";
import { fromJson, toExactJson, toJson, type Value } from "./value.ts";

/** Compiles a computation on messages and on values beside them. Throws `config` errors. */
export function compileComputation(source: string, given: readonly string[]): Computation {
  const fields = new Fields();
  const code = compile(parseExpression(source), { source, fields, given: new Set(given) });
  const from = new MessageSource(fields);
  const frame = new Frame(from);
  return {
    compute(batch: MessageBatch, index: number, values: readonly unknown[]): Value {
      from.begin(batch);
      from.turnTo(index);
      frame.reset();
      for (let i = 0; i < given.length; i++) frame.locals.set(given[i]!, values[i] as Value);
      return code(frame);
    },
    write: (value, exact) => (exact ? toExactJson(value as Value) : toJson(value as Value)),
    read: (json) => fromJson(parseJson(json)),
  };
}
