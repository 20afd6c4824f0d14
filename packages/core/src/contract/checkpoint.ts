import type { OpenContext } from "./context.ts";

export type CheckpointContext = Pick<OpenContext, "route" | "log" | "clock" | "baseDir" | "openStore" | "service">;

/** The position of a source as it is stored, for `mqb checkpoint`. Its route should be stopped: whoever writes last wins. */
export interface Checkpoint {
  /** What the position is of, for people: `sqlx:orders:id`, `file:orders.jsonl:group`. Holds no secret. */
  readonly source: string;
  /** Undefined when none is stored. Throws when one is stored that is of another source or cannot be read. */
  read(): Promise<CheckpointValue | undefined>;
  /** Stores a value as `read` gives it. Throws a `config` error for one that cannot be a position. */
  write(value: string): Promise<void>;
  /** Forgets the position: the source is read from its beginning. */
  clear(): Promise<void>;
  close?(): Promise<void>;
}

export interface CheckpointValue {
  /** With its type: `int:3`, `text:abc`. */
  readonly value: string;
  /** Unix milliseconds. */
  readonly updatedAt?: number;
}
