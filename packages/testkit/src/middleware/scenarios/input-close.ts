import { equal, ok } from "node:assert/strict";
import type { InputScenario } from "../types.ts";

export const inputClose: readonly InputScenario[] = [
  {
    name: "close reaches the source, and may be called again",
    async run(lab) {
      await lab.settled(lab.consumer.close());
      ok(lab.source.closed, "the source is still open");
      await lab.settled(Promise.all([lab.consumer.close(), lab.consumer.close()]));
    },
  },
  {
    name: "close wakes a waiting receive",
    async run(lab) {
      const receiving = lab.consumer.receive(10, new AbortController().signal);
      await lab.settled(lab.source.received(1));
      await lab.settled(lab.consumer.close());
      const [result] = await lab.settled(Promise.allSettled([receiving]));
      if (result.status === "fulfilled") equal(result.value.batch.length, 0);
    },
  },
  {
    name: "leaves no timer armed after close",
    async run(lab) {
      lab.source.push(lab.messages(4)).pushEmpty();
      const delivery = await lab.settled(lab.consumer.receive(4, new AbortController().signal));
      equal(delivery.batch.length > 0, true);
      await lab.settled(delivery.commit());
      await lab.settled(lab.consumer.close());
      equal(lab.context.clock.pending, 0);
    },
  },
];
