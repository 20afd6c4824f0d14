import { equal, ok } from "node:assert/strict";
import { batchOf } from "@mqb/core/plugin";
import { send } from "../send.ts";
import type { OutputScenario } from "../types.ts";

export const outputClose: readonly OutputScenario[] = [
  {
    name: "close reaches the sink, and may be called again",
    async run(lab) {
      await lab.settled(lab.publisher.close());
      ok(lab.sink.closed, "the sink is still open");
      await lab.settled(Promise.all([lab.publisher.close(), lab.publisher.close()]));
    },
  },
  {
    name: "leaves no timer armed after close",
    async run(lab) {
      await send(lab, batchOf(lab.messages(4)));
      await lab.settled(lab.publisher.close());
      equal(lab.context.clock.pending, 0);
    },
  },
];
