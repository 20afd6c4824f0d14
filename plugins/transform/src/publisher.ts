import { ACCEPTED, failed, type Outcome, type Publisher, scatter } from "@mqb/core/plugin";
import { errors } from "./errors.ts";
import type { Transformer } from "./transformer.ts";

/** Around a publisher: what is rejected fails for good at its position, so that a `dlq` takes it. */
export function transformSent(inner: Publisher, transformer: Transformer): Publisher {
  return {
    close: () => inner.close(),
    ...(inner.flush ? { flush: () => inner.flush!() } : {}),
    ...(inner.status ? { status: () => inner.status!() } : {}),
    async send(given, signal) {
      const { batch, kept, rejected } = transformer.run(given);
      if (!kept) return inner.send(batch, signal);
      const sent = kept.length > 0 ? await inner.send(batch, signal) : undefined;
      const outcomes = scatter<Outcome>(given.length, kept, sent, ACCEPTED, ACCEPTED);
      for (const { index, failure } of rejected) outcomes[index] = failed(errors.FAILED(failure));
      return outcomes;
    },
  };
}
