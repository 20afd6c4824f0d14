import { deepEqual } from "node:assert/strict";
import { batchOf, type Consumer, type Publisher } from "@mqb/core/plugin";
import type { ConnectorLab } from "../lab.ts";
import { server, stored, unless } from "../left-out.ts";
import { proxyOf, via } from "../proxied.ts";
import { newResources } from "../resources.ts";
import type { ConnectorScenario, SideConfigs } from "../types.ts";

export const lostHandles: ConnectorScenario = {
  name: "leaves no socket, timer or shared client open when it is closed after its connection was cut and refused",
  leftOut: unless(server, stored),
  async run(lab) {
    // What a client library opens once and for ever is not this connector's leak.
    await loseOnce(lab, 0);
    using opened = newResources();
    await loseOnce(lab, 10);
    deepEqual(await opened.left(lab.patienceMs), []);
    deepEqual(lab.scope.held, [], "shared resources that nobody has released");
  },
};

async function loseOnce(lab: ConnectorLab, from: number): Promise<void> {
  await using proxy = await proxyOf(lab);
  const configs = via(lab, proxy);
  const { consumer, publisher } = await openBoth(lab, configs, from);
  const stop = new AbortController();
  const waiting = Promise.allSettled([
    consumer?.receive(10, stop.signal),
    publisher?.send(batchOf(lab.messages(1, from + 2)), stop.signal),
  ]);
  await proxy.refuse();
  proxy.cut();
  stop.abort(new Error("stop"));
  await lab.soon(waiting, "the end of what has waited");
  await lab.soon(Promise.all([consumer?.close(), publisher?.close()]), "closing after the connection is gone");
}

async function openBoth(
  lab: ConnectorLab,
  configs: SideConfigs,
  from: number,
): Promise<{ consumer: Consumer | undefined; publisher: Publisher | undefined }> {
  const publisher = lab.subject.output && (await lab.publisher({ config: configs.output }));
  if (publisher) await lab.send(publisher, lab.messages(1, from));
  if (!lab.subject.input) return { publisher, consumer: undefined };
  if (!publisher) await lab.seed(lab.messages(1, from));
  const reader = lab.reader({ config: configs.input, reopens: true });
  await reader.commit(await reader.take(1));
  return { publisher, consumer: await reader.open() };
}
