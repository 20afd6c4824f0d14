import { ACCEPTED, failed, type Outcome, type OutputCapabilities, type Publisher, scatter } from "@mqb/core/plugin";
import { errors } from "./errors.ts";
import type { Transformer } from "./transformer.ts";

/** Around a publisher: what is rejected fails for good at its position, so that a `dlq` takes it. */
export function transformSent(inner: Publisher, transformer: Transformer, below: OutputCapabilities): Publisher {
  return {
    close: () => inner.close(),
    ...(inner.flush ? { flush: () => inner.flush!() } : {}),
    ...(inner.status ? { status: () => inner.status!() } : {}),
    async send(given, signal) {
      const { batch, kept, rejected, release } = transformer.run(given);
      const sent = batch.length > 0 ? await inner.send(batch, signal) : undefined;
      if (below.keepsNothing) release();
      if (!kept) return sent;
      const outcomes = scatter<Outcome>(given.length, kept, sent, ACCEPTED, ACCEPTED);
      for (const { index, failure } of rejected) outcomes[index] = failed(errors.FAILED(failure));
      return outcomes;
    },
  };
}
