import { equal, ok } from "node:assert/strict";
import { batchOf } from "@mqb/core/plugin";
import { slabOf } from "../../fakes/messages.ts";
import { sameMessages } from "../compare.ts";
import { send } from "../send.ts";
import type { OutputScenario } from "../types.ts";

export const outputBatches: readonly OutputScenario[] = [
  ...[1, 1024].map(
    (size): OutputScenario => ({
      name: `passes a batch of ${size}, in order`,
      async run(lab) {
        const sent = lab.messages(size);
        const outcomes = await send(lab, batchOf(sent));
        ok(outcomes.every((outcome) => outcome.type === "accepted"));
        if (lab.subject.tested.changes) return;
        sameMessages(lab.sink.messages, sent);
        if (!lab.subject.tested.regroups) equal(lab.sink.sends.length, 1, "the batch was cut up");
      },
    }),
  ),
  {
    name: "an empty batch is answered at once, with no outcome",
    async run(lab) {
      const outcomes = await lab.settled(lab.publisher.send(batchOf([]), new AbortController().signal));
      equal(outcomes?.length ?? 0, 0);
    },
  },
  {
    name: "bytes in a slab stay where they are",
    leftOut: ({ tested }) => (tested.changes ? "it changes payloads" : undefined),
    async run(lab) {
      const lines = slabOf(lab.messages(16));
      await send(lab, lines);
      for (const batch of lab.sink.sends) {
        for (let i = 0; i < batch.length; i++) {
          equal(batch.payload(i).buffer, lines.payload(i).buffer, "the payload was copied");
        }
        if (!lab.subject.tested.looksInside && !lab.subject.tested.regroups) ok(batch.slab, "the slab is gone");
      }
    },
  },
];
