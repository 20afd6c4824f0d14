import type { OpenContext, Publisher } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { Pauses } from "../pause.ts";
import { wrapPublisher } from "../wrap.ts";
import { type Pace, rest } from "./pace.ts";

/** Sends batches as they are, each when those before it have had their time. */
export function limitedPublisher(inner: Publisher, pace: Pace, { clock }: Pick<OpenContext, "clock">): Publisher {
  const pauses = new Pauses(clock);
  return wrapPublisher(inner, {
    async send(batch, signal) {
      const ms = pace.take(batch.length);
      if (ms >= 1 && !(await rest(pauses, ms, signal))) throw errors.PAUSE_CUT({ middleware: "limiter" });
      return inner.send(batch, signal);
    },
    close() {
      pauses.end();
      return inner.close();
    },
  });
}
