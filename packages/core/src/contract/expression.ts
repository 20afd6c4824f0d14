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
  /** Payload fields and metadata (`meta.x`) that it reads and a message has not. To explain what became of messages, not for every one. */
  absent?(batch: MessageBatch, index: number): readonly string[];
}

/** Computes one value from a message, as JSON bytes that keep every digit. Throws a `permanent` error. */
export interface Evaluator {
  evaluate(message: Message): Uint8Array;
  /** The same for messages of a batch: `begin` turns to it, `write` appends the value of one. What a `write` that throws has appended is the caller's to take back. */
  begin?(batch: MessageBatch): void;
  write?(index: number, into: ByteSink): void;
}

/** Bytes that are appended one after another. */
export interface ByteSink {
  /** How many there are; set back, the last ones are gone. */
  length: number;
  byte(byte: number): void;
  put(bytes: Uint8Array): void;
  /** The same for bytes that never change: they may be known again by the object that they are. */
  constant(bytes: Uint8Array): void;
  copy(from: Uint8Array, start: number, end: number): void;
  ascii(text: string): void;
}

/**
 * Computes a value from a message and from values that stand beside it. Values are the compiler's own, so that a state that is
 * computed with again need not become JSON in between.
 */
export interface Computation {
  /** `given` are the values of the names that it was compiled with, by position. Throws a `permanent` error. */
  compute(batch: MessageBatch, index: number, given: readonly unknown[]): unknown;
  /** The value as JSON, as messages carry it; `exact` = with every digit, to be computed with again. */
  write(value: unknown, exact?: boolean): string;
  /** The value of JSON. Throws when it is none. */
  read(json: Uint8Array): unknown;
}

/** The expression language, brought by a plugin. All compile once at start and throw `config` errors with a position. */
export interface ExpressionCompiler {
  predicate(source: string): Predicate;
  evaluator(source: string): Evaluator;
  /** `given` names values beside the payload; they hide its fields of the same names. */
  computation(source: string, given: readonly string[]): Computation;
}
