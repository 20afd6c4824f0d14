import { deepEqual } from "node:assert/strict";
import { CollectingPublisher } from "../../fakes/collecting-publisher.ts";
import { eventually, turns } from "../../wait/eventually.ts";
import type { ConnectorLab } from "../lab.ts";
import { acknowledges, kill, restart, sinkAcknowledges, stored, unless } from "../left-out.ts";
import { ReplayingSource } from "../replaying-source.ts";
import type { ConnectorFixture, ConnectorScenario } from "../types.ts";

const COUNT = 300;
const BEFORE = 100;
const TURNS_TO_NOTICE = 50;
const SOON = { reconnect_interval_ms: 20 };

const WAYS = [
  { name: "restarted", member: "restart", needs: restart },
  { name: "killed and started again", member: "kill", needs: kill },
] as const satisfies readonly { member: keyof ConnectorFixture; name: string; needs: unknown }[];

/** The server goes away under a route and comes back. */
export const serverGone: readonly ConnectorScenario[] = WAYS.flatMap(({ name, member, needs }): ConnectorScenario[] => [
  {
    name: `a route from a server that is ${name} delivers every message`,
    leftOut: unless(acknowledges, needs, stored),
    run: (lab) => fromServer(lab, lab.tested.fixture[member]!),
  },
  {
    name: `a route into a server that is ${name} brings every message in, and what was accepted is kept`,
    leftOut: unless(sinkAcknowledges, needs, stored),
    run: (lab) => intoServer(lab, lab.tested.fixture[member]!),
  },
]);

async function fromServer(lab: ConnectorLab, disturb: () => Promise<void>): Promise<void> {
  await lab.seed(lab.messages(COUNT));
  const sink = new CollectingPublisher();
  const route = lab.routes.from(sink, { ...SOON, concurrency: 4, batch_size: 10 });
  await lab.soon(route.start(), "the start of the route");
  await lab.soon(sink.collected(BEFORE), `${BEFORE} messages`);
  sink.stall();
  await eventually(() => sink.inFlight > 0, "a batch at the sink", lab.patienceMs);
  const back = disturb();
  await turns(TURNS_TO_NOTICE);
  sink.release();
  await lab.soon(back, "the server to be back");
  const seen = () => new Set(sink.messages.map((message) => lab.number(message)));
  await eventually(() => seen().size === COUNT, "every message at the sink", lab.patienceMs);
  await lab.soon(route.stop(), "the stop of the route");
}

async function intoServer(lab: ConnectorLab, disturb: () => Promise<void>): Promise<void> {
  const source = new ReplayingSource(lab.messages(COUNT));
  source.allow(BEFORE);
  const route = lab.routes.into(source, { ...SOON, batch_size: 10 });
  await lab.soon(route.start(), "the start of the route");
  await eventually(() => source.acked >= BEFORE, `${BEFORE} acked messages`, lab.patienceMs);
  const back = disturb();
  source.allow(COUNT);
  await lab.soon(back, "the server to be back");
  await eventually(() => source.acked >= COUNT, "every message to be acked", lab.patienceMs);
  await lab.soon(route.stop(), "the stop of the route");
  deepEqual(
    [...new Set(await lab.stored(COUNT))],
    Array.from({ length: COUNT }, (_, n) => n),
  );
}
