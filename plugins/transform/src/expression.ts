import { describeError, type Evaluator, type ExpressionCompiler, isMqbError, Message } from "@mqb/core/plugin";
import { compileFields, type FieldFinder, FieldKind } from "@mqb/json";
import { type Failure, parseFailure } from "./failure.ts";

const NO_OBJECT = "expression requires a structured JSON object payload";

/** Computes documents from messages. */
export class ExpressionStage {
  failure: Failure | undefined;
  private readonly evaluator: Evaluator;
  /** For expressions that read only metadata: the payload has to be an object for them too, and nobody else looks. */
  private readonly looks: FieldFinder | undefined;

  /** Throws what the compiler throws. */
  constructor(source: string, compiler: ExpressionCompiler) {
    this.evaluator = compiler.evaluator(source);
    this.looks = refusesNoObject(this.evaluator) ? undefined : compileFields([]);
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
      return this.fail(payload, isNoObject(error) ? NO_OBJECT : describeError(error));
    }
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
