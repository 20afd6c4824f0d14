import { deepEqual, ok } from "node:assert/strict";
import { batchOf, MqbError } from "@mqb/core/plugin";
import { outcomesOf } from "../send.ts";
import type { OutputScenario } from "../types.ts";

const REFUSED = new MqbError("MQB_TEST_REFUSED", "permanent", "the sink refuses this message");

export const outputConcurrency: readonly OutputScenario[] = [
  {
    name: "batches that are sent at the same time keep their outcomes apart",
    leftOut: ({ tested }) =>
      tested.changes && tested.regroups ? "what arrives at the sink cannot be told apart" : undefined,
    async run(lab) {
      const batches = Array.from({ length: 4 }, (_, n) => batchOf(lab.messages(3, n * 3)));
      const bad = new Set(batches.map((batch, n) => batch.at(n % 3)).map((message) => message.text()));
      const ids = new Set(batches.map((batch, n) => batch.id(n % 3)));
      lab.sink.failWhen((message) => (ids.has(message.id) || bad.has(message.text()) ? REFUSED : undefined));
      const sending = batches.map((batch) => lab.publisher.send(batch, new AbortController().signal));
      const results = await lab.settled(Promise.all(sending));
      results.forEach((result, n) => {
        deepEqual(
          outcomesOf(batches[n]!, result).map((outcome) => outcome.type === "accepted"),
          [0, 1, 2].map((position) => position !== n % 3),
          `batch ${n}`,
        );
      });
      ok(lab.sink.messages.length === 8);
    },
  },
];
