import { deepEqual, equal } from "node:assert/strict";
import { acknowledges, input, output, stored, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

export const closing: readonly ConnectorScenario[] = [
  {
    name: "close of a source may be called again, also at the same time",
    leftOut: unless(input),
    async run(lab) {
      if (!lab.tested.fixture.live) await lab.seed(lab.messages(1));
      const consumer = await lab.consumer();
      await lab.soon(Promise.all([consumer.close(), consumer.close()]), "closing twice");
      await lab.soon(consumer.close(), "closing again");
    },
  },
  {
    name: "close of a sink may be called again, also at the same time",
    leftOut: unless(output),
    async run(lab) {
      const publisher = await lab.publisher();
      await lab.soon(Promise.all([publisher.close(), publisher.close()]), "closing twice");
      await lab.soon(publisher.close(), "closing again");
    },
  },
  {
    name: "close wakes a receive that waits",
    leftOut: unless(input, stored),
    async run(lab) {
      await lab.seed(lab.messages(1));
      const reader = lab.reader();
      await reader.commit(await reader.take(1));
      const consumer = await reader.open();
      const receiving = Promise.allSettled([consumer.receive(10, new AbortController().signal)]);
      await lab.soon(consumer.close(), "closing while a receive waits");
      const [result] = await lab.soon(receiving, "the end of the waiting receive");
      if (result.status === "fulfilled") equal(result.value.batch.length, 0);
    },
  },
  {
    name: "close does not wait for deliveries that nobody commits, and gives them back",
    leftOut: unless(acknowledges, stored),
    async run(lab) {
      await lab.seed(lab.messages(3));
      const reader = lab.reader();
      await reader.take(3);
      await reader.close();
      const { numbers } = await lab.reader({ reopens: true }).take(3);
      deepEqual([...new Set(numbers)].sort(), [0, 1, 2]);
    },
  },
];
