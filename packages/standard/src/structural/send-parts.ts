import { type Clock, failed, type MessageBatch, type Outcome, type Publisher } from "@mqb/core/plugin";
import { errors } from "../errors.ts";

/** What one of several publishers has to send. */
export interface Part {
  readonly publisher: Publisher;
  /** Where it stands in the configuration, for errors. */
  readonly path: string;
  readonly batch: MessageBatch;
}

/** How long parts that were told to stop are waited for; shorter than a route waits for the whole. */
const STOP_MS = 150;

/**
 * Sends the parts at the same time. One result per part, as of `send`; one that threw failed for each of its messages. A
 * part that hears nothing of the signal does not keep the results of the others: it counts as failed a moment later.
 */
export async function sendParts(
  parts: readonly Part[],
  signal: AbortSignal,
  clock: Clock,
): Promise<(readonly Outcome[] | undefined)[]> {
  const results = new Array<readonly Outcome[] | undefined | typeof OPEN>(parts.length).fill(OPEN);
  const sending = Promise.all(
    parts.map(async (part, index) => {
      const result = await sendPart(part, signal);
      results[index] = result;
    }),
  );
  await unlessStopped(sending, signal, clock);
  return results.map((result, index) => {
    if (result !== OPEN) return result;
    const { path, batch } = parts[index]!;
    return allFailed(batch, errors.PART_GIVEN_UP({ path }));
  });
}

const OPEN: unique symbol = Symbol("not settled");

/** As `send`, but does not reject: what it throws, each message has failed with. */
export async function sendPart(
  { publisher, path, batch }: Part,
  signal: AbortSignal,
): Promise<readonly Outcome[] | undefined> {
  try {
    const outcomes = await publisher.send(batch, signal);
    if (!outcomes || outcomes.length === batch.length) return outcomes;
    throw errors.PART_OUTCOMES({ path, sent: batch.length, got: outcomes.length });
  } catch (error) {
    return allFailed(batch, error);
  }
}

function allFailed(batch: MessageBatch, error: unknown): readonly Outcome[] {
  return new Array<Outcome>(batch.length).fill(failed(error));
}

/** Resolves when the work is done, or `STOP_MS` after the signal. The work does not reject. */
function unlessStopped(work: Promise<unknown>, signal: AbortSignal, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    let cancel = (): void => {};
    const stop = (): void => {
      cancel = clock.timer(STOP_MS, done);
    };
    const done = (): void => {
      signal.removeEventListener("abort", stop);
      cancel();
      resolve();
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    void work.then(done);
  });
}
