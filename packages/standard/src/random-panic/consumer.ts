import { batchOf, type Consumer, type Delivery, Message, type OpenContext } from "@mqb/core/plugin";
import { wrapConsumer } from "../wrap.ts";
import { type Fault, faultError } from "./faults.ts";
import type { Trigger } from "./trigger.ts";

/** Fails receives before the source is asked; instead of an error, `json_format_error` brings a message that is no JSON. */
export function faultyConsumer(
  inner: Consumer,
  fault: Fault,
  trigger: Trigger,
  { accounting }: Pick<OpenContext, "accounting">,
): Consumer {
  return wrapConsumer(inner, {
    async receive(max, signal) {
      if (signal.aborted || !trigger.fires()) return inner.receive(max, signal);
      if (fault !== "json_format_error") throw faultError(fault, "RandomPanicConsumer");
      accounting.receive(1);
      return noJson();
    },
  });
}

function noJson(): Delivery {
  return { batch: batchOf([new Message('{"random_panic": "this is no JSON')]), commit: async () => {} };
}
