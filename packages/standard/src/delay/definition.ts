import { defineMiddleware } from "@mqb/core/plugin";
import * as z from "zod";
import { errors } from "../errors.ts";
import { milliseconds } from "../fields.ts";
import { Pauses } from "../pause.ts";
import { wrapConsumer, wrapPublisher } from "../wrap.ts";

export const delaySchema = z.strictObject({
  delay_ms: milliseconds().meta({
    description: "Pause before each receive or send; 0 = none.",
    examples: [100],
    "x-mqb-waits": true,
  }),
});

export type DelayConfig = z.input<typeof delaySchema>;

export const delay = defineMiddleware({
  description: "Pauses before each receive or send; for tests and for crude pacing",
  schema: delaySchema,
  input(inner, { delay_ms }, { clock, draining }) {
    const pauses = new Pauses(clock);
    return wrapConsumer(inner, {
      async receive(max, signal) {
        if (delay_ms > 0 && !draining) await pauses.wait(delay_ms, signal);
        const delivery = await inner.receive(max, signal);
        // In a drain, silence is the end, and a pause before the source is asked would be taken for it.
        const something = delivery.batch.length > 0 || delivery.emptied;
        if (delay_ms > 0 && draining && something) await pauses.wait(delay_ms, signal);
        return delivery;
      },
      close() {
        pauses.end();
        return inner.close();
      },
    });
  },
  output(inner, { delay_ms }, { clock }) {
    const pauses = new Pauses(clock);
    return wrapPublisher(inner, {
      async send(batch, signal) {
        if (delay_ms > 0 && !(await pauses.wait(delay_ms, signal))) throw errors.PAUSE_CUT({ middleware: "delay" });
        return inner.send(batch, signal);
      },
      close() {
        pauses.end();
        return inner.close();
      },
    });
  },
});
