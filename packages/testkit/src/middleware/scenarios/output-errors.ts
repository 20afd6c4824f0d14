import { deepEqual, equal, fail, ok } from "node:assert/strict";
import { batchOf, type ErrorKind, kindOf, MqbError } from "@mqb/core/plugin";
import { outcomesOf, send } from "../send.ts";
import type { OutputLab, OutputScenario } from "../types.ts";

export const outputErrors: readonly OutputScenario[] = [
  ...(["connection", "config"] as const).map(
    (kind): OutputScenario => ({
      name: `an error of kind ${kind} of the sink keeps its kind`,
      async run(lab) {
        const error = new MqbError("MQB_TEST_SINK", kind, "the sink failed");
        lab.sink.failWhen(() => error);
        for (let i = 0; i < 100; i++) lab.sink.rejectNext(error);
        deepEqual(await kindsOfFailure(lab), new Set([kind]));
      },
    }),
  ),
  {
    name: "a retryable error that stays is never called a success",
    async run(lab) {
      const error = new MqbError("MQB_TEST_BUSY", "retryable", "the sink is busy");
      lab.sink.failWhen(() => error);
      const outcomes = await send(lab, batchOf(lab.messages(2)));
      for (const outcome of outcomes) ok(outcome.type === "failed" || outcome.type === "dead_lettered", outcome.type);
      equal(lab.sink.messages.length, 0);
    },
  },
  {
    name: "sends again after an error",
    async run(lab) {
      lab.sink.rejectNext(new MqbError("MQB_TEST_SINK", "connection", "gone for a moment"));
      await lab.settled(
        Promise.allSettled([lab.publisher.send(batchOf(lab.messages(1)), new AbortController().signal)]),
      );
      const before = lab.sink.messages.length;
      await send(lab, batchOf(lab.messages(2, 1)));
      equal(lab.sink.messages.length - before, 2);
    },
  },
];

async function kindsOfFailure(lab: OutputLab): Promise<Set<ErrorKind>> {
  const batch = batchOf(lab.messages(3));
  const [result] = await lab.settled(Promise.allSettled([lab.publisher.send(batch, new AbortController().signal)]));
  if (result.status === "rejected") return new Set([kindOf(result.reason, "retryable")]);
  const kinds = outcomesOf(batch, result.value).map((outcome) => {
    if (outcome.type !== "failed") fail(`a message is ${outcome.type} although the sink took none`);
    return kindOf(outcome.error, "retryable");
  });
  return new Set(kinds);
}
