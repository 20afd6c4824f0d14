import { batchOf, type Evaluator, type Message } from "@mqb/core/plugin";
import { compile } from "./compile/compile.ts";
import { Fields } from "./compile/fields.ts";
import { Frame } from "./compile/frame.ts";
import { MessageSource } from "./message-source.ts";
import { parseExpression } from "./syntax/parser.ts";
import { toJson } from "./value.ts";

/** Compiles a computation on messages. Throws `config` errors. */
export function compileEvaluator(source: string): Evaluator {
  const fields = new Fields();
  const code = compile(parseExpression(source), { source, fields, given: new Set() });
  // Whatever it reads, the payload has to be an object, as for every expression on messages.
  const from = new MessageSource(fields);
  const frame = new Frame(from);
  return {
    evaluate(message: Message): Uint8Array {
      from.begin(batchOf([message]));
      from.turnTo(0);
      frame.reset();
      return Buffer.from(toJson(code(frame)));
    },
  };
}
