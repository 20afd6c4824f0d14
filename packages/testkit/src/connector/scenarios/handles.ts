import { deepEqual, equal } from "node:assert/strict";
import { exchange } from "../exchange.ts";
import type { ConnectorLab } from "../lab.ts";
import { input, unless } from "../left-out.ts";
import { type NewResources, newResources, openFiles } from "../resources.ts";
import type { ConnectorScenario } from "../types.ts";

export const handles: readonly ConnectorScenario[] = [
  {
    name: "leaves no socket, file, timer or shared client open after close",
    leftOut: unless(),
    async run(lab) {
      // What a client library opens once and for ever is not this connector's leak.
      await useOnce(lab, 0);
      using opened = newResources();
      await useOnce(lab, 10);
      await nothingLeft(lab, opened);
      deepEqual(lab.scope.held, [], "shared resources that nobody has released");
    },
  },
  {
    name: "leaves nothing open after a close with messages in hand and a receive that waits",
    leftOut: unless(input, (s) => (s.fixture.live ? "the system keeps nothing while nobody reads" : undefined)),
    async run(lab) {
      await useOnce(lab, 0);
      await lab.seed(lab.messages(5, 10));
      using opened = newResources();
      const reader = lab.reader();
      equal((await reader.take(5)).messages.length >= 5, true);
      const consumer = await reader.open();
      const waiting = Promise.allSettled([consumer.receive(10, new AbortController().signal)]);
      await reader.close();
      await lab.soon(waiting, "the end of the waiting receive");
      await nothingLeft(lab, opened);
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

async function nothingLeft(lab: ConnectorLab, opened: NewResources): Promise<void> {
  deepEqual(await opened.left(lab.patienceMs), []);
  const { folder } = lab.place;
  if (folder !== undefined) deepEqual(openFiles(folder), [], "files that are still open");
}
