import {
  type ByteSink,
  batchOf,
  describeError,
  type Evaluator,
  type ExpressionCompiler,
  isMqbError,
  Message,
  type MessageBatch,
} from "@mqb/core/plugin";
import { compileFields, type FieldFinder, FieldKind } from "@mqb/json";
import { type Failure, parseFailure } from "./failure.ts";

const NO_OBJECT = "expression requires a structured JSON object payload";

/** Computes documents from messages. */
export class ExpressionStage {
  failure: Failure | undefined;
  private batch: MessageBatch = batchOf([]);
  private readonly evaluator: Evaluator;
  /** For expressions that read only metadata: the payload has to be an object for them too, and nobody else looks. */
  private readonly looks: FieldFinder | undefined;

  /** Throws what the compiler throws. */
  constructor(source: string, compiler: ExpressionCompiler) {
    this.evaluator = compiler.evaluator(source);
    this.looks = refusesNoObject(this.evaluator) ? undefined : compileFields([]);
  }

  /** Turns to a batch, for `write`. */
  begin(batch: MessageBatch): void {
    this.batch = batch;
    if (!this.looks) this.evaluator.begin?.(batch);
  }

  /** Appends the new document of a message of the batch; false when there is none. Undefined: use `apply`. */
  write(index: number, out: ByteSink): boolean | undefined {
    const { evaluator, looks } = this;
    if (looks || !evaluator.write) return undefined;
    try {
      evaluator.write(index, out);
      return true;
    } catch (error) {
      this.failedWith(error, this.batch.payload(index));
      return false;
    }
  }

  /** The new document; undefined when there is none, and `failure` says why. */
  apply(message: Message): Uint8Array | undefined {
    const { payload } = message;
    if (this.looks) {
      this.looks.find(payload, 0, payload.length);
      if (this.looks.root !== FieldKind.object) return this.fail(payload, NO_OBJECT);
    }
    try {
      return this.evaluator.evaluate(message);
    } catch (error) {
      return this.failedWith(error, payload);
    }
  }

  private failedWith(error: unknown, payload: Uint8Array): undefined {
    return this.fail(payload, isNoObject(error) ? NO_OBJECT : describeError(error));
  }

  private fail(payload: Uint8Array, text: string): undefined {
    this.failure = parseFailure(payload) ?? { path: "$", reason: "expression", text };
    return undefined;
  }
}

function refusesNoObject(evaluator: Evaluator): boolean {
  try {
    evaluator.evaluate(new Message("no JSON"));
    return false;
  } catch (error) {
    return isNoObject(error);
  }
}

function isNoObject(error: unknown): boolean {
  return isMqbError(error) && error.code === "MQB_EXPRESSION_NOT_AN_OBJECT";
}
