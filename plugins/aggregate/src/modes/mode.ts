import type { MessageBatch } from "@mqb/core/plugin";
import type { Result } from "../result.ts";

/** A batch that was folded. */
export interface Ran extends Result {
  /** Resolves when the store has every state that the batch has changed, rejects when it will not; undefined = it has. */
  readonly stored?: Promise<void> | undefined;
}

/** Where states live between batches, and when they are stored. */
export interface Mode {
  /** Folds a batch. Rejects with a retryable error when the store fails, and then nothing of the batch may go on. */
  run(batch: MessageBatch): Promise<Ran>;
  /** Idempotent. Waits for a write that runs. */
  close(): Promise<void>;
}
