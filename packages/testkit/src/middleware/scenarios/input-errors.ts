import { equal, fail } from "node:assert/strict";
import { type ErrorKind, kindOf, MqbError } from "@mqb/core/plugin";
import { receive, receiveAll } from "../receive.ts";
import type { InputScenario } from "../types.ts";

const KINDS: readonly ErrorKind[] = ["connection", "permanent", "config", "end"];

export const inputErrors: readonly InputScenario[] = [
  ...KINDS.map(
    (kind): InputScenario => ({
      name: `an error of kind ${kind} of the source keeps its kind`,
      async run(lab) {
        lab.source.pushError(new MqbError("MQB_TEST_SOURCE", kind, "the source failed"));
        equal(kindOf(await failure(receive(lab)), "retryable"), kind);
      },
    }),
  ),
  {
    name: "an error of the source's commit comes through",
    async run(lab) {
      lab.source.push(lab.messages(1));
      const { deliveries } = await receiveAll(lab, 1);
      lab.source.failNextCommit(new MqbError("MQB_TEST_COMMIT", "connection", "the source is gone"));
      const commits = deliveries.map((delivery) => lab.settled(delivery.commit()));
      equal(kindOf(await failure(Promise.all(commits)), "retryable"), "connection");
    },
  },
  {
    name: "receives again after an error of the source",
    async run(lab) {
      lab.source.pushError(new MqbError("MQB_TEST_SOURCE", "connection", "gone for a moment")).push(lab.messages(1));
      await failure(receive(lab));
      const { messages } = await receiveAll(lab, 1);
      equal(messages.length, 1);
    },
  },
];

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  fail("it was swallowed");
}
