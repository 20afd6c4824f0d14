import { equal, ok } from "node:assert/strict";
import { slabOf } from "../../fakes/messages.ts";
import { sameMessages } from "../compare.ts";
import { receive, receiveAll } from "../receive.ts";
import type { InputScenario } from "../types.ts";

export const inputBatches: readonly InputScenario[] = [
  ...[1, 1024].map(
    (size): InputScenario => ({
      name: `passes a batch of ${size}, in order`,
      async run(lab) {
        const sent = lab.messages(size);
        lab.source.push(sent);
        const { messages, deliveries } = await receiveAll(lab, size);
        equal(messages.length, size);
        if (!lab.subject.tested.changes) sameMessages(messages, sent);
        for (const delivery of deliveries) await lab.settled(delivery.commit());
        ok(lab.source.deliveries.every((given) => given.commits === 1));
      },
    }),
  ),
  {
    name: "gives at most as many messages as it is asked for, and asks the source for no more",
    async run(lab) {
      lab.source.push(lab.messages(20));
      for (let left = 20; left > 0; ) {
        const delivery = await receive(lab, 8);
        ok(delivery.batch.length <= 8, `asked for 8, got ${delivery.batch.length}`);
        left -= delivery.batch.length;
        await lab.settled(delivery.commit());
      }
      if (!lab.subject.tested.regroups)
        ok(Math.max(...lab.source.asked) <= 8, `asked the source for ${lab.source.asked}`);
    },
  },
  {
    name: "an empty batch is passed on and committed",
    async run(lab) {
      lab.source.pushEmpty();
      const delivery = await receive(lab);
      equal(delivery.batch.length, 0);
      ok(!delivery.emptied, "nothing was there to be taken out");
      await lab.settled(delivery.commit());
      equal(lab.source.commits.length, 1, "the source's own empty delivery is committed too");
    },
  },
  {
    name: "an emptied batch of a middleware below it stays marked as emptied",
    async run(lab) {
      lab.source.pushEmpty(true).push(lab.messages(1));
      const { deliveries } = await receiveAll(lab, 1);
      for (const delivery of deliveries) {
        ok(delivery.batch.length > 0 || delivery.emptied, "an emptied batch looks like the end of the source");
        await lab.settled(delivery.commit());
      }
      equal(lab.source.commits.length, 2);
    },
  },
  {
    name: "bytes in a slab stay where they are",
    leftOut: ({ tested }) => (tested.changes ? "it changes payloads" : undefined),
    async run(lab) {
      const lines = slabOf(lab.messages(16));
      lab.source.push(lines);
      const delivery = await receive(lab);
      for (let i = 0; i < delivery.batch.length; i++) {
        equal(delivery.batch.payload(i).buffer, lines.payload(i).buffer, "the payload was copied");
      }
      if (!lab.subject.tested.looksInside) ok(delivery.batch.slab, "the slab is gone");
      await lab.settled(delivery.commit());
    },
  },
];
