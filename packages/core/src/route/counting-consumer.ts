import type { Consumer, Delivery } from "../contract/endpoint.ts";
import type { Accounting } from "./accounting.ts";

/** Counts what comes from a transport, so that middlewares above it may take messages out and settle them. */
export function countingConsumer(inner: Consumer, accounting: Accounting): Consumer {
  const count = (delivery: Delivery): Delivery => {
    accounting.receive(delivery.batch.length);
    return delivery;
  };
  const receive: Consumer["receive"] = (max, signal) => inner.receive(max, signal).then(count);
  return { receive, close: () => inner.close(), ...(inner.status && { status: () => inner.status!() }) };
}
