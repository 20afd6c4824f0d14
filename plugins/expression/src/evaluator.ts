import { batchOf, type Evaluator, type Message } from "@mqb/core/plugin";
import { compileWriter } from "./compile/compile.ts";
import { Fields } from "./compile/fields.ts";
import { Frame } from "./compile/frame.ts";
import { numberScratch } from "./compile/write-number.ts";
import { writeValue } from "./compile/writer.ts";
import { MessageSource } from "./message-source.ts";
import { parseExpression } from "./syntax/parser.ts";
import { toJson, type Value } from "./value.ts";

/** Compiles a computation on messages. Throws `config` errors. */
export function compileEvaluator(source: string): Required<Evaluator> {
  const fields = new Fields();
  const { code, writer } = compileWriter(parseExpression(source), { source, fields, given: new Set() });
  // Whatever it reads, the payload has to be an object, as for every expression on messages.
  const from = new MessageSource(fields);
  const frame = new Frame(from);
  const digits = numberScratch();
  const compute = (): Value => {
    frame.reset();
    return code(frame);
  };
  return {
    evaluate(message: Message): Uint8Array {
      from.begin(batchOf([message]));
      from.turnTo(0);
      return Buffer.from(toJson(compute()));
    },
    begin: (batch) => from.begin(batch),
    write(index, into) {
      from.turnTo(index);
      const mark = into.length;
      frame.reset();
      try {
        if (writer(frame, from, into)) return;
      } catch {
        // Computed in another order than it is written in: the error that comes first there is to be thrown.
      }
      into.length = mark;
      writeValue(compute(), into, digits);
    },
  };
}
