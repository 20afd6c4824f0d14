import { equal, ok } from "node:assert/strict";
import type { InputScenario } from "../types.ts";

export const inputSignals: readonly InputScenario[] = [
  {
    name: "an abort of the signal ends a waiting receive, and reaches the source",
    async run(lab) {
      const stop = new AbortController();
      const receiving = lab.consumer.receive(10, stop.signal);
      await lab.settled(lab.source.received(1));
      stop.abort(new Error("stop"));
      const [result] = await lab.settled(Promise.allSettled([receiving]));
      if (result.status === "fulfilled") equal(result.value.batch.length, 0);
      ok(lab.source.lastSignal?.aborted, "the source does not know");
    },
  },
  {
    name: "receives again after an aborted receive, and has lost nothing",
    async run(lab) {
      const stop = new AbortController();
      const receiving = lab.consumer.receive(10, stop.signal);
      await lab.settled(lab.source.received(1));
      stop.abort(new Error("stop"));
      await lab.settled(Promise.allSettled([receiving]));
      lab.source.push(lab.messages(3));
      const { batch } = await lab.settled(lab.consumer.receive(10, new AbortController().signal));
      equal(batch.length, 3);
    },
  },
  {
    name: "passes the state of the source on",
    async run(lab) {
      lab.source.health = { healthy: false, target: "queue-7", pending: 12, error: "unreachable" };
      const status = lab.consumer.status?.();
      ok(status, "the state of the source is hidden");
      equal(status.healthy, false);
      equal(status.target, "queue-7");
      equal(status.pending, 12);
    },
  },
];
