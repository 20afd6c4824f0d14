import type { MessageBatch } from "../message/batch.ts";
import type { Message } from "../message/message.ts";

/** Which messages of a batch a predicate is true for. */
export interface Matches {
  /** Positions in ascending order. */
  readonly matched: Uint32Array;
  /** Messages that the expression could not be evaluated for; they are not in `matched`. */
  readonly failed?: readonly { readonly index: number; readonly error: unknown }[];
}

export interface Predicate {
  test(batch: MessageBatch): Matches;
}

/** Computes one value from a message, as JSON bytes that keep every digit. Throws a `permanent` error. */
export interface Evaluator {
  evaluate(message: Message): Uint8Array;
}

/** The expression language, brought by a plugin. Both compile once at start and throw `config` errors with a position. */
export interface ExpressionCompiler {
  predicate(source: string): Predicate;
  evaluator(source: string): Evaluator;
}
