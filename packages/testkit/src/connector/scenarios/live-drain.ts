import { deepEqual, equal } from "node:assert/strict";
import { describeError } from "@mqb/core/plugin";
import { CollectingPublisher } from "../../fakes/collecting-publisher.ts";
import { eventually } from "../../wait/eventually.ts";
import { acknowledges, stored, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

const BEFORE = 200;
const AT_ONCE = 10;
const AT_MOST = 600;

export const liveDrain: ConnectorScenario = {
  name: "a drain beside a producer takes all that was there at its start, and loses nothing of what comes",
  leftOut: unless(acknowledges, stored),
  async run(lab) {
    await lab.seed(lab.messages(BEFORE));
    let sent = BEFORE;
    const produce = async (): Promise<void> => {
      await lab.seed(lab.messages(AT_ONCE, sent));
      sent += AT_ONCE;
    };
    const sink = new CollectingPublisher();
    // The sink holds on until the producer has sent something, so that it surely comes beside the drain.
    sink.stall();
    const route = lab.routes.from(sink, { exit_on_empty: true, concurrency: 4, batch_size: 16 });
    await lab.soon(route.start(), "the start of the route");
    await eventually(() => sink.inFlight > 0, "a batch at the sink", lab.patienceMs);
    await produce();
    sink.release();
    let ended = false;
    const ending = route.done.finally(() => (ended = true));
    while (!ended && sent < AT_MOST) await produce();
    const result = await lab.soon(ending, "the end of the drain");
    equal(result.outcome, "completed", describeError(result.error));

    const found = new Set(sink.messages.map((message) => lab.number(message)));
    deepEqual(missing(BEFORE, found), [], "these were there before the drain began");
    for (const n of await lab.rest()) found.add(n);
    deepEqual(missing(sent, found), [], "these were neither drained nor left in the source");
  },
};

function missing(count: number, found: ReadonlySet<number>): number[] {
  return Array.from({ length: count }, (_, n) => n).filter((n) => !found.has(n));
}
