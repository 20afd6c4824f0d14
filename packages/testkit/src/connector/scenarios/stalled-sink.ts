import { ok } from "node:assert/strict";
import { CollectingPublisher } from "../../fakes/collecting-publisher.ts";
import { eventually } from "../../wait/eventually.ts";
import { holds, input, ownPayloads, stored, unless } from "../left-out.ts";
import { kibibytes, LARGE_COUNT, LARGE_PAYLOAD, settledMemory } from "../memory.ts";
import type { ConnectorScenario } from "../types.ts";
import { seedLarge } from "./back-pressure.ts";

const BOUND = (LARGE_COUNT * LARGE_PAYLOAD) / 2;

export const stalledSink: ConnectorScenario = {
  name: "a route whose sink stands still holds its source back, and brings everything when the sink goes on",
  leftOut: unless(input, stored, holds("large"), ownPayloads),
  async run(lab) {
    await seedLarge(lab);
    const before = await settledMemory();
    const sink = new CollectingPublisher();
    sink.stall();
    const route = lab.routes.from(sink, { concurrency: 2, batch_size: 4 });
    await lab.soon(route.start(), "the start of the route");
    await eventually(() => sink.inFlight > 0, "a batch at the sink", lab.patienceMs);
    const grown = (await settledMemory()) - before;
    ok(grown < BOUND, `the sink has taken nothing, and memory has grown by ${kibibytes(grown)}`);
    sink.release();
    const seen = () => new Set(sink.messages.map((message) => lab.number(message)));
    await eventually(() => seen().size === LARGE_COUNT, "every message at the sink", lab.patienceMs);
    await lab.soon(route.stop(), "the stop of the route");
  },
};
