import type { Publisher } from "@mqb/core/plugin";
import type { Sealer } from "./sealer.ts";

/** Around a publisher: encrypts what is sent. Outcomes stay where they are. */
export function encryptSent(inner: Publisher, sealer: Sealer): Publisher {
  return {
    close: () => inner.close(),
    ...(inner.flush ? { flush: () => inner.flush!() } : {}),
    ...(inner.status ? { status: () => inner.status!() } : {}),
    send: (batch, signal) => inner.send(sealer.seal(batch), signal),
  };
}
