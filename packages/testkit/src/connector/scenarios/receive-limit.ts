import { equal, ok } from "node:assert/strict";
import { input, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

export const receiveLimit: ConnectorScenario = {
  name: "receive gives at most as many messages as it is asked for, and leaves the others for later",
  leftOut: unless(input),
  async run(lab) {
    const { reader, sent } = await lab.begin(lab.messages(20));
    const consumer = await reader.open();
    const seen = new Set<number>();
    for (const max of [1, 7, 1, 3]) {
      const delivery = await lab.soon(consumer.receive(max, new AbortController().signal), "a receive");
      const { batch } = delivery;
      ok(batch.length <= max, `asked for ${max}, got ${batch.length}`);
      for (const message of batch) seen.add(lab.number(message));
      await lab.soon(delivery.commit(), "a commit");
    }
    await reader.readUntil((message) => {
      seen.add(lab.number(message));
      return seen.size === 20;
    });
    await sent;
    equal(seen.size, 20);
  },
};
