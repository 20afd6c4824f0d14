import type { Publisher } from "@mqb/core/plugin";
import { wrapPublisher } from "../wrap.ts";
import { type Fault, faultError } from "./faults.ts";
import type { Trigger } from "./trigger.ts";

/** Fails sends as a whole; what fails does not reach the sink. */
export function faultyPublisher(inner: Publisher, fault: Fault, trigger: Trigger): Publisher {
  return wrapPublisher(inner, {
    async send(batch, signal) {
      if (batch.length > 0 && trigger.fires()) throw faultError(fault, "RandomPanicPublisher");
      return inner.send(batch, signal);
    },
  });
}
