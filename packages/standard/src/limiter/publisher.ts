import type { OpenContext, Publisher } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { wrapPublisher } from "../wrap.ts";
import { Gate } from "./gate.ts";
import type { Pace } from "./pace.ts";

/** Sends batches as they are, each when those before it have had their time. */
export function limitedPublisher(inner: Publisher, pace: Pace, { clock }: Pick<OpenContext, "clock">): Publisher {
  const gate = new Gate(pace, clock);
  return wrapPublisher(inner, {
    async send(batch, signal) {
      if (batch.length > 0 && !(await gate.pass(batch.length, signal))) {
        throw errors.PAUSE_CUT({ middleware: "limiter" });
      }
      return inner.send(batch, signal);
    },
    close() {
      gate.close();
      return inner.close();
    },
  });
}
