import type { OutputCapabilities, Publisher } from "@mqb/core/plugin";
import type { Sealer } from "./sealer.ts";

/** Around a publisher: encrypts what is sent. Outcomes stay where they are. */
export function encryptSent(inner: Publisher, sealer: Sealer, below: OutputCapabilities): Publisher {
  return {
    close: () => inner.close(),
    ...(inner.flush ? { flush: () => inner.flush!() } : {}),
    ...(inner.status ? { status: () => inner.status!() } : {}),
    async send(given, signal) {
      const { batch, release } = sealer.seal(given);
      const outcomes = await inner.send(batch, signal);
      // After a failure the sink may be at it still.
      if (below.keepsNothing) release();
      return outcomes;
    },
  };
}
