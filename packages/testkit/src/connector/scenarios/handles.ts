import { deepEqual, equal } from "node:assert/strict";
import { exchange } from "../exchange.ts";
import type { ConnectorLab } from "../lab.ts";
import { input, unless } from "../left-out.ts";
import { newResources } from "../resources.ts";
import type { ConnectorScenario } from "../types.ts";

export const handles: readonly ConnectorScenario[] = [
  {
    name: "leaves no socket, file, timer or shared client open after close",
    leftOut: unless(),
    async run(lab) {
      // What a client library opens once and for ever is not this connector's leak.
      await useOnce(lab, 0);
      const before = newResources();
      await useOnce(lab, 10);
      deepEqual(await before.left(lab.patienceMs), []);
      deepEqual(lab.scope.held, [], "shared resources that nobody has released");
    },
  },
  {
    name: "leaves nothing open after a close with messages in hand and a receive that waits",
    leftOut: unless(input, (s) => (s.fixture.live ? "the system keeps nothing while nobody reads" : undefined)),
    async run(lab) {
      await useOnce(lab, 0);
      await lab.seed(lab.messages(5, 10));
      const before = newResources();
      const reader = lab.reader();
      equal((await reader.take(5)).messages.length >= 5, true);
      const consumer = await reader.open();
      const waiting = Promise.allSettled([consumer.receive(10, new AbortController().signal)]);
      await reader.close();
      await lab.soon(waiting, "the end of the waiting receive");
      deepEqual(await before.left(lab.patienceMs), []);
    },
  },
];

async function useOnce(lab: ConnectorLab, from: number): Promise<void> {
  const sent = lab.messages(2, from);
  if (lab.subject.output) {
    await exchange(lab, sent);
    return;
  }
  const { reader, sent: sending } = await lab.begin(sent);
  await reader.commit(await reader.take(2));
  await sending;
  await reader.close();
}
