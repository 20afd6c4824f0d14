import type { JsonPath } from "@mqb/json";
import type { Exact } from "../number/exact.ts";
import type { Output } from "../output.ts";

/** The numbers that a state is made of, those of all its fields one after another. */
export type Slots = Exact[];

/** What one message brings to the fields of a state. */
export interface Step {
  /** The first message of its key: the slots are zeros. */
  first: boolean;
  /** Older than the newest message of the key. */
  late: boolean;
  /** Seconds since the newest message, or before it when late; 0 without a clock. */
  distance: number;
}

/** One built-in aggregate. Its slots begin at `at`, and it changes no others. */
export interface Builtin {
  readonly slots: number;
  /** The field that it reads a number from; undefined = none. */
  readonly path: JsonPath | undefined;
  /** Its slots are decimals of exact value, not doubles. */
  readonly exact: boolean;
  /** Its result depends on the time between messages. */
  readonly timed: boolean;
  /** Takes a message in. `value` is the number at `path`, else 0. */
  fold(slots: Slots, at: number, value: Exact, step: Step): void;
  /** Writes the result as JSON, faded by so many seconds. */
  show(slots: Slots, at: number, seconds: number, out: Output): void;
}
