import type { Output } from "../output.ts";
import type { Reading } from "../reading.ts";

/** How the states of one entry are computed, shown and stored. */
export interface Kind<State = unknown> {
  /** It fades or orders by time. */
  readonly timed: boolean;
  /** Why the last `fold` gave undefined, or `show` false. Holds no value of the message. */
  readonly reason: string;
  /** The last message that was folded was older than the newest of its key. */
  readonly late: boolean;
  /**
   * The state after the message that `reading` has turned to; `before` is undefined for a new key and is not changed.
   * Undefined = it cannot be computed. `time` is that of the message.
   */
  fold(reading: Reading, before: State | undefined, time: number): State | undefined;
  /** Writes what the message carries of a state, as JSON; false = it cannot be computed. `time` fades it to then. */
  show(reading: Reading, state: State, time: number | undefined, out: Output): boolean;
  /** Throws a STATE error, of kind `config`, for what `save` does not give. */
  load(json: Uint8Array): State;
  save(state: State): string;
}
