import {
  ACK,
  type Delivery,
  defineMiddleware,
  type Message,
  type MiddlewareDefinition,
  scatter,
} from "@mqb/core/plugin";
import { ANY_CONFIG } from "./plugin.ts";

/** A middleware of an input that takes messages out, to have batches emptied. */
export function dropping(drops: (message: Message) => boolean): MiddlewareDefinition {
  return defineMiddleware({
    description: "Drops messages, for tests.",
    schema: ANY_CONFIG,
    input: (inner, _, { accounting }) => ({
      async receive(max, signal): Promise<Delivery> {
        const delivery = await inner.receive(max, signal);
        const { batch } = delivery;
        const kept = Uint32Array.from(
          Array.from(batch, (message, i) => (drops(message) ? -1 : i)).filter((i) => i >= 0),
        );
        if (kept.length === batch.length) return delivery;
        accounting.settle("filtered", batch.length - kept.length);
        return {
          batch: batch.select(kept),
          ...(kept.length === 0 && { emptied: true }),
          commit: (given) => delivery.commit(given && scatter(batch.length, kept, given, ACK, ACK)),
        };
      },
      close: () => inner.close(),
      ...(inner.status && { status: () => inner.status!() }),
    }),
  });
}
