import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { batchOf, kindOf, Message, MqbError } from "@mqb/core/plugin";
import { send } from "../send.ts";
import type { OutputScenario } from "../types.ts";

const REFUSED = new MqbError("MQB_TEST_REFUSED", "permanent", "the sink refuses this message");

export const outputOutcomes: readonly OutputScenario[] = [
  {
    name: "a message that the sink refuses is the only one that is not accepted, at its position",
    async run(lab) {
      lab.sink.failAt([1, 3], REFUSED);
      const outcomes = await send(lab, batchOf(lab.messages(5)));
      deepEqual(
        outcomes.map((outcome) => outcome.type === "accepted"),
        [true, false, true, false, true],
        "good messages are accepted, bad ones are not called so",
      );
      for (const outcome of outcomes) {
        if (outcome.type === "failed") equal(kindOf(outcome.error, "retryable"), "permanent");
      }
    },
  },
  {
    name: "replies of the sink come back at the positions of their messages",
    async run(lab) {
      const answers = new Map<Message, Message>();
      lab.sink.replyWith((message) => {
        const answer = new Message(`re: ${message.text()}`);
        answers.set(message, answer);
        return answer;
      });
      const outcomes = await send(lab, batchOf(lab.messages(3)));
      const expected = [...lab.sink.messages].map((message) => answers.get(message)!.text());
      equal(outcomes.length, 3);
      outcomes.forEach((outcome, i) => {
        ok(outcome.type === "replied", `outcome ${i} is ${outcome.type}`);
        if (!lab.subject.tested.changes) equal(outcome.message.text(), expected[i]);
      });
    },
  },
  {
    name: "what it takes out keeps its position among the outcomes of the rest",
    leftOut: ({ tested }) => (tested.removed ? undefined : "the test gives no message that it removes"),
    async run(lab) {
      const removed = (n: number) => lab.subject.tested.removed!(n, "output");
      const [a, b, c] = lab.messages(3) as [Message, Message, Message];
      lab.sink.failWhen((message) => (message.id === b.id || message.text() === b.text() ? REFUSED : undefined));
      const outcomes = await send(lab, batchOf([removed(0), a, removed(1), b, c, removed(2)]));
      equal(lab.sink.messages.length, 2);
      const types = outcomes.map((outcome) => outcome.type);
      deepEqual([types[1], types[4]], ["accepted", "accepted"]);
      notEqual(types[3], "accepted", "the failure has lost its position");
      for (const position of [0, 2, 5]) {
        ok(
          types[position] === "filtered" || types[position] === "dead_lettered",
          `position ${position}: ${types[position]}`,
        );
      }
    },
  },
  {
    name: "a batch that it empties is a success for every message and does not reach the sink",
    leftOut: ({ tested }) => (tested.removed ? undefined : "the test gives no message that it removes"),
    async run(lab) {
      const batch = batchOf([0, 1, 2].map((n) => lab.subject.tested.removed!(n, "output")));
      const outcomes = await send(lab, batch);
      ok(outcomes.every((outcome) => outcome.type === "filtered" || outcome.type === "dead_lettered"));
      equal(lab.sink.messages.length, 0);
    },
  },
];
