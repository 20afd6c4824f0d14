import type { Clock } from "@mqb/core/plugin";
import type { Output } from "./output.ts";

/** What a command gets from the process; tests give their own. */
export interface CommandContext {
  readonly output: Output;
  readonly environment: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly clock: Clock;
  /** Aborts when the process is asked to end. */
  readonly stop: AbortSignal;
  /** Calls the listener at each SIGHUP, until the returned function is called. */
  readonly onHangup: (listener: () => void) => () => void;
  /** Asks the user one question; absent when nobody sits at a terminal. */
  readonly ask?: (question: string) => Promise<string>;
  /** The bridge's option for it, when the environment sets one. */
  readonly drainIdle: { readonly drainIdleMs?: number };
}
