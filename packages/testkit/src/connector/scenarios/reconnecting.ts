import { deepEqual } from "node:assert/strict";
import type { Route } from "@mqb/core";
import { CollectingPublisher } from "../../fakes/collecting-publisher.ts";
import type { FaultProxy } from "../../proxy/fault-proxy.ts";
import { eventually, turns } from "../../wait/eventually.ts";
import type { ConnectorLab } from "../lab.ts";
import { acknowledges, server, sinkAcknowledges, stored, unless } from "../left-out.ts";
import { proxyOf, via } from "../proxied.ts";
import { ReplayingSource } from "../replaying-source.ts";
import type { ConnectorScenario } from "../types.ts";

const COUNT = 300;
const BEFORE = 100;
const STANDSTILL_MS = 250;
const TURNS_TO_NOTICE = 50;
const SOON = { reconnect_interval_ms: 20 };

interface Disturbance {
  /** After "whose connection". */
  readonly name: string;
  /** Disturbs, and sets things right again; `felt` resolves when the route tries again. */
  readonly disturb: (proxy: FaultProxy, felt: () => Promise<unknown>) => Promise<void>;
}

const DISTURBANCES: readonly Disturbance[] = [
  {
    name: "is ended by the server's side",
    disturb: async (proxy) => proxy.halfClose(),
  },
  {
    name: "is cut, and refused for a while,",
    async disturb(proxy, felt) {
      await proxy.refuse();
      proxy.cut();
      await felt();
      await proxy.accept();
    },
  },
  {
    name: "is cut, and reset whenever it is made again for a while,",
    async disturb(proxy, felt) {
      await proxy.refuse("reset");
      proxy.cut();
      await felt();
      await proxy.accept();
    },
  },
  {
    name: "stands still for a while",
    async disturb(proxy) {
      proxy.stall();
      await new Promise((resolve) => setTimeout(resolve, STANDSTILL_MS));
      proxy.resume();
    },
  },
  {
    name: "stands still and is then cut",
    async disturb(proxy) {
      proxy.stall();
      await new Promise((resolve) => setTimeout(resolve, STANDSTILL_MS));
      proxy.cut();
      proxy.resume();
    },
  },
];

/** A route gets over what a network does to its connection, with nothing lost. */
export const reconnecting: readonly ConnectorScenario[] = [
  ...DISTURBANCES.map(
    ({ name, disturb }): ConnectorScenario => ({
      name: `a route whose source's connection ${name} delivers every message`,
      leftOut: unless(acknowledges, server, stored),
      run: (lab) => sourceGetsOver(lab, disturb),
    }),
  ),
  ...DISTURBANCES.map(
    ({ name, disturb }): ConnectorScenario => ({
      name: `a route whose sink's connection ${name} brings every message in`,
      leftOut: unless(sinkAcknowledges, server, stored),
      run: (lab) => sinkGetsOver(lab, disturb),
    }),
  ),
];

async function sourceGetsOver(lab: ConnectorLab, disturb: Disturbance["disturb"]): Promise<void> {
  await using proxy = await proxyOf(lab);
  await lab.seed(lab.messages(COUNT));
  const sink = new CollectingPublisher();
  const options = { ...SOON, config: via(lab, proxy).input, concurrency: 4, batch_size: 10 };
  const route = lab.routes.from(sink, options);
  await lab.soon(route.start(), "the start of the route");
  await lab.soon(sink.collected(BEFORE), `${BEFORE} messages`);
  // The sink holds on, so that there are messages on their way when it happens.
  sink.stall();
  await eventually(() => sink.inFlight > 0, "a batch at the sink", lab.patienceMs);
  const goOn = async (): Promise<void> => {
    await turns(TURNS_TO_NOTICE);
    sink.release();
  };
  await disturb(proxy, () => goOn().then(() => triesAgain(route, lab)));
  await goOn();
  const seen = () => new Set(sink.messages.map((message) => lab.number(message)));
  await eventually(() => seen().size === COUNT, "every message at the sink", lab.patienceMs);
  await lab.soon(route.stop(), "the stop of the route");
}

async function sinkGetsOver(lab: ConnectorLab, disturb: Disturbance["disturb"]): Promise<void> {
  await using proxy = await proxyOf(lab);
  const source = new ReplayingSource(lab.messages(COUNT));
  source.allow(BEFORE);
  const route = lab.routes.into(source, { ...SOON, config: via(lab, proxy).output, batch_size: 10 });
  await lab.soon(route.start(), "the start of the route");
  await eventually(() => source.acked >= BEFORE, `${BEFORE} acked messages`, lab.patienceMs);
  const disturbed = disturb(proxy, () => triesAgain(route, lab));
  source.allow(COUNT);
  await disturbed;
  await eventually(() => source.acked >= COUNT, "every message to be acked", lab.patienceMs);
  await lab.soon(route.stop(), "the stop of the route");
  deepEqual(
    [...new Set(await lab.stored(COUNT))],
    Array.from({ length: COUNT }, (_, n) => n),
  );
}

function triesAgain(route: Route, lab: ConnectorLab): Promise<unknown> {
  return eventually(() => route.state === "reconnecting", "the route to notice", lab.patienceMs);
}
