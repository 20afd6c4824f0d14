import {
  ACCEPTED,
  asError,
  failed,
  kindOf,
  type MessageBatch,
  type OpenContext,
  type Outcome,
  type Publisher,
  scatter,
} from "@mqb/core/plugin";
import { errors } from "./errors.ts";
import type { Mode, Ran } from "./modes/mode.ts";
import { Remarks } from "./remarks.ts";

/** Around a publisher: folds what is sent. What cannot be folded fails for good at its position, so that a `dlq` takes it. */
export function aggregateSent(inner: Publisher, mode: Mode, { log, route }: OpenContext): Publisher {
  const remarks = new Remarks(log, route);

  const send = async (given: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> => {
    let ran: Ran;
    try {
      ran = await orAborted(mode.run(given), signal);
    } catch (error) {
      // A state that cannot be read stays so.
      if (signal.aborted || kindOf(error, "permanent") !== "retryable") throw error;
      return allFailed(given.length, error);
    }
    remarks.of(ran);
    const { batch, kept, rejected, stored } = ran;
    // What the sink says counts, and what the store says: both are waited for.
    const [sent, saved] = await Promise.allSettled([
      batch.length > 0 ? inner.send(batch, signal) : undefined,
      stored && orAborted(stored, signal),
    ]);
    if (sent.status === "rejected") throw sent.reason;
    if (saved.status === "rejected") {
      if (signal.aborted) throw saved.reason;
      remarks.failed(asError(saved.reason), given.length);
      return allFailed(given.length, saved.reason);
    }
    if (!kept) return sent.value;
    const outcomes = scatter<Outcome>(given.length, kept, sent.value, ACCEPTED, ACCEPTED);
    for (const { index, reason } of rejected) outcomes[index] = failed(errors.CANNOT_FOLD({ reason }));
    return outcomes;
  };

  return {
    send,
    ...(inner.flush ? { flush: () => inner.flush!() } : {}),
    ...(inner.status ? { status: () => inner.status!() } : {}),
    async close() {
      try {
        await mode.close();
      } finally {
        await inner.close();
      }
    },
  };
}

function allFailed(length: number, error: unknown): Outcome[] {
  return new Array<Outcome>(length).fill(failed(error));
}

/** Nobody waits any longer than the signal says; what goes on is not undone. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => {});
    return Promise.reject(signal.reason as Error);
  }
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
