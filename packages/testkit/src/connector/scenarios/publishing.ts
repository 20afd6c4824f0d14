import { deepEqual, equal, ok } from "node:assert/strict";
import { kindOf, type Message, type Publisher } from "@mqb/core/plugin";
import { ScriptedConsumer } from "../../fakes/scripted-consumer.ts";
import type { ConnectorLab } from "../lab.ts";
import {
  commitsInOrder,
  idempotent,
  output,
  refusal,
  sinkAcknowledges,
  sinkTakesNoReplies,
  stored,
  unless,
  unordered,
} from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

export const publishing: readonly ConnectorScenario[] = [
  {
    name: "batches that are sent one after another are stored in that order",
    leftOut: unless(output, stored, (s) => (s.input ? commitsInOrder(s) : undefined)),
    async run(lab) {
      const publisher = await lab.publisher();
      for (let from = 0; from < 100; from += 5) await lab.send(publisher, lab.messages(5, from));
      await finish(lab, publisher);
      deepEqual(numbers(lab, await lab.arrived(100)), range(100));
    },
  },
  {
    name: "batches that are sent at the same time arrive whole, each once",
    leftOut: unless(output, stored, unordered),
    async run(lab) {
      const publisher = await lab.publisher();
      const sending = Array.from({ length: 8 }, (_, n) => lab.send(publisher, lab.messages(25, n * 25)));
      for (const outcomes of await Promise.all(sending)) ok(outcomes.every((outcome) => outcome.type !== "failed"));
      await finish(lab, publisher);
      const arrived = numbers(lab, await lab.arrived(200));
      deepEqual(
        arrived.sort((a, b) => a - b),
        range(200),
      );
    },
  },
  {
    name: "a message that is sent twice is stored once",
    leftOut: unless(idempotent, stored),
    async run(lab) {
      const sent = lab.messages(10);
      const publisher = await lab.publisher();
      await lab.send(publisher, sent);
      await lab.send(publisher, sent.slice(3, 7));
      await lab.send(publisher, sent);
      await finish(lab, publisher);
      deepEqual(await lab.stored(10), range(10));
    },
  },
  {
    name: "what is accepted is there when send resolves and the sink is closed",
    leftOut: unless(sinkAcknowledges, stored),
    async run(lab) {
      const publisher = await lab.publisher();
      await lab.send(publisher, lab.messages(7));
      await lab.soon(publisher.close(), "closing the sink");
      const arrived = new Set(numbers(lab, await lab.arrived(7)));
      equal(arrived.size, 7);
    },
  },
  {
    name: "of a batch with one message that the sink refuses, the others arrive and the outcomes say which it was",
    leftOut: unless(output, stored, refusal),
    async run(lab) {
      const publisher = await lab.publisher();
      const refused = lab.tested.fixture.refused!();
      const outcomes = await lab.send(publisher, [lab.message(0), refused, lab.message(1), lab.message(2)]);
      deepEqual(
        outcomes.map((outcome) => (outcome.type === "replied" ? "accepted" : outcome.type)),
        ["accepted", "failed", "accepted", "accepted"],
      );
      const [, outcome] = outcomes;
      if (outcome!.type === "failed") equal(kindOf(outcome!.error, "retryable"), "permanent");
      await finish(lab, publisher);
      deepEqual(await lab.stored(3), range(3));
    },
  },
  {
    name: "a sink that does not reply never gives a reply",
    leftOut: unless(sinkTakesNoReplies, stored),
    async run(lab) {
      const publisher = await lab.publisher();
      for (const outcome of await lab.send(publisher, lab.messages(3))) ok(outcome.type !== "replied");
    },
  },
  {
    name: "a route brings everything from its source into the sink",
    leftOut: unless(output, stored),
    async run(lab) {
      const source = new ScriptedConsumer();
      for (let from = 0; from < 100; from += 10) source.push(lab.messages(10, from));
      source.pushEmpty();
      const route = lab.routes.into(source, { exit_on_empty: true, concurrency: 4, batch_size: 7 });
      await lab.soon(route.start(), "the start of the route");
      equal((await lab.soon(route.done, "the end of the route")).outcome, "completed");
      deepEqual(await lab.stored(100), range(100));
    },
  },
];

async function finish(lab: ConnectorLab, publisher: Publisher): Promise<void> {
  await lab.soon(Promise.resolve(publisher.flush?.()), "a flush");
  await lab.soon(publisher.close(), "closing the sink");
}

function numbers(lab: ConnectorLab, messages: readonly Message[]): number[] {
  return messages.map((message) => lab.number(message));
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}
