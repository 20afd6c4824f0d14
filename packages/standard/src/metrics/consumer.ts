import { type Clock, type Consumer, type Delivery, kindOf } from "@mqb/core/plugin";
import { wrapConsumer } from "../wrap.ts";
import type { SideMetrics } from "./registry.ts";

/** Counts what is received, and follows it to its commit. All of it once per batch. */
export function measuredConsumer(inner: Consumer, side: SideMetrics, clock: Clock): Consumer {
  return wrapConsumer(inner, {
    async receive(max, signal) {
      const start = clock.monotonic();
      let delivery: Delivery;
      try {
        delivery = await inner.receive(max, signal);
      } catch (error) {
        // A wait that was told to end is no failure.
        if (!signal.aborted) side.failed(kindOf(error, "connection"), 1);
        throw error;
      }
      const { batch } = delivery;
      if (batch.length === 0) return delivery;
      const received = clock.monotonic();
      side.count(batch.length, batch.length, batch.byteLength, received - start);
      return followed(delivery, side, clock, received);
    },
    close() {
      side.giveUp();
      return inner.close();
    },
  });
}

function followed(delivery: Delivery, side: SideMetrics, clock: Clock, received: number): Delivery {
  const end = side.begin(delivery.batch.length, received);
  return {
    ...delivery,
    release: () => delivery.release?.(),
    async commit(dispositions) {
      try {
        await delivery.commit(dispositions);
      } catch (error) {
        side.failed(kindOf(error, "connection"), 1);
        throw error;
      } finally {
        end();
      }
      side.commits.observe((clock.monotonic() - received) / 1000);
    },
  };
}
