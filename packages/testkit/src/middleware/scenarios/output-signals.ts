import { equal, ok } from "node:assert/strict";
import { batchOf } from "@mqb/core/plugin";
import type { OutputScenario } from "../types.ts";

export const outputSignals: readonly OutputScenario[] = [
  {
    name: "an abort of the signal ends a send that waits for the sink, and nothing counts as accepted",
    async run(lab) {
      lab.sink.stall();
      const stop = new AbortController();
      const sending = lab.publisher.send(batchOf(lab.messages(2)), stop.signal);
      await lab.settled(lab.sink.sent(1));
      stop.abort(new Error("the grace period is over"));
      const [result] = await lab.settled(Promise.allSettled([sending]));
      ok(lab.sink.lastSignal?.aborted, "the sink does not know");
      if (result.status === "fulfilled") ok(result.value?.every((outcome) => outcome.type === "failed"));
    },
  },
  {
    name: "passes the state of the sink on",
    async run(lab) {
      lab.sink.health = { healthy: false, target: "table-7", error: "unreachable" };
      const status = lab.publisher.status?.();
      ok(status, "the state of the sink is hidden");
      equal(status.healthy, false);
      equal(status.target, "table-7");
    },
  },
  {
    name: "passes flush on",
    async run(lab) {
      await lab.settled(Promise.resolve(lab.publisher.flush?.()));
      equal(lab.sink.flushes, 1);
    },
  },
];
