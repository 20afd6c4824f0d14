import {
  ACCEPTED,
  failed,
  type MessageBatch,
  type Outcome,
  type OutputCapabilities,
  type Publisher,
  scatter,
} from "@mqb/core/plugin";
import { errors } from "./errors.ts";
import type { Transformed, Transformer } from "./transformer.ts";

/** What is made of a batch, or why nothing can be. */
interface Prepared {
  readonly transformed?: Transformed;
  readonly error?: unknown;
}

/** Around a publisher: what is rejected fails for good at its position, so that a `dlq` takes it. */
export function transformSent(inner: Publisher, transformer: Transformer, below: OutputCapabilities): Publisher {
  /** Batches that wait for their turn. */
  const ahead = new WeakMap<MessageBatch, Prepared>();
  return {
    willSend(batch) {
      const made = prepared(transformer, batch);
      ahead.set(batch, made);
      if (made.transformed && made.transformed.batch.length > 0) inner.willSend?.(made.transformed.batch);
    },
    close: () => inner.close(),
    ...(inner.flush ? { flush: () => inner.flush!() } : {}),
    ...(inner.status ? { status: () => inner.status!() } : {}),
    async send(given, signal) {
      const { transformed, error } = ahead.get(given) ?? prepared(transformer, given);
      // Sent once more, it is transformed once more: its memory is used again by then.
      ahead.delete(given);
      if (!transformed) throw error;
      const { batch, kept, rejected, release } = transformed;
      const sent = batch.length > 0 ? await inner.send(batch, signal) : undefined;
      if (below.keepsNothing) release();
      if (!kept) return sent;
      const outcomes = scatter<Outcome>(given.length, kept, sent, ACCEPTED, ACCEPTED);
      for (const { index, failure } of rejected) outcomes[index] = failed(errors.FAILED(failure));
      return outcomes;
    },
  };
}

function prepared(transformer: Transformer, batch: MessageBatch): Prepared {
  try {
    return { transformed: transformer.run(batch) };
  } catch (error) {
    return { error };
  }
}
