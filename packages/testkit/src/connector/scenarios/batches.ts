import { deepEqual, equal, ok } from "node:assert/strict";
import { bounded, input, output, stored, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

export const batches: readonly ConnectorScenario[] = [
  {
    name: "a delivery can be read again and again with the same result",
    leftOut: unless(input),
    async run(lab) {
      const { reader, sent } = await lab.begin(lab.messages(3));
      const taken = await reader.take(3);
      for (const { batch } of taken.deliveries) {
        for (let i = 0; i < batch.length; i++) {
          equal(batch.at(i), batch.at(i), "the same object");
          equal(batch.id(i), batch.at(i).id);
          equal(Buffer.compare(batch.payload(i), batch.at(i).payload), 0);
          deepEqual([...batch.metadata(i)], [...batch.at(i).metadata]);
        }
        equal(
          batch.byteLength,
          Array.from(batch, (message) => message.payload.length).reduce((sum, length) => sum + length, 0),
        );
      }
      await reader.commit(taken);
      await sent;
    },
  },
  {
    name: "payloads stay what they are while later batches are received",
    leftOut: unless(input, stored),
    async run(lab) {
      await lab.seed(lab.messages(40));
      const reader = lab.reader();
      const early = await reader.take(10, 10);
      const copies = early.messages.map((message) => Buffer.from(message.payload));
      await reader.take(40 - early.messages.length, 10);
      early.messages.forEach((message, i) => {
        ok(copies[i]!.equals(message.payload), `the payload of message ${early.numbers[i]} was overwritten`);
      });
    },
  },
  {
    name: "an empty delivery is committed like any other",
    leftOut: unless(input, bounded, stored),
    async run(lab) {
      await lab.seed(lab.messages(2));
      const reader = lab.reader({ draining: true });
      await reader.commit(await reader.take(2));
      const consumer = await reader.open();
      const { batch, commit } = await lab.soon(consumer.receive(10, new AbortController().signal), "the end");
      equal(batch.length, 0, "the end of a drain");
      await lab.soon(commit(), "a commit of nothing");
    },
  },
  {
    name: "a sink takes an empty batch for nothing",
    leftOut: unless(output),
    async run(lab) {
      const publisher = await lab.publisher();
      deepEqual(await lab.send(publisher, []), []);
      await lab.soon(Promise.resolve(publisher.flush?.()), "a flush of nothing");
    },
  },
];
