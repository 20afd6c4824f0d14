import type { Consumer, Delivery } from "../contract/endpoint.ts";
import type { Accounting } from "./accounting.ts";

/**
 * Counts what comes from a transport, so that middlewares above it may take messages out and settle them, and the batches of
 * which they give something back: a drain that has seen the end of its source reads these again.
 */
export function countingConsumer(inner: Consumer, accounting: Accounting): Consumer {
  const count = (delivery: Delivery): Delivery => {
    const { batch, release, emptied } = delivery;
    accounting.receive(batch.length);
    return {
      batch,
      ...(emptied === undefined ? {} : { emptied }),
      ...(release && { release: () => release.call(delivery) }),
      commit(dispositions) {
        if (dispositions?.some(({ type }) => type === "nack")) accounting.returned();
        return delivery.commit(dispositions);
      },
    };
  };
  const receive: Consumer["receive"] = (max, signal) => inner.receive(max, signal).then(count);
  return { receive, close: () => inner.close(), ...(inner.status && { status: () => inner.status!() }) };
}
