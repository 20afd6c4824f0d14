import { deepEqual, equal } from "node:assert/strict";
import { receiveAll } from "../receive.ts";
import type { InputScenario } from "../types.ts";

export const accountingBalances: InputScenario = {
  name: "every message that the source gave is accounted for",
  async run(lab) {
    const { accounting } = lab.context;
    const make = lab.subject.tested.removed;
    const out = make ? Array.from({ length: 3 }, (_, n) => make(n, "input")) : [];
    lab.source.push([...lab.messages(5), ...out]).push(lab.messages(2, 5));
    const { deliveries, messages } = await receiveAll(lab, 7);
    for (const delivery of deliveries) {
      // As the route does: what has arrived at its end was delivered.
      accounting.settle("delivered", delivery.batch.length);
      await lab.settled(delivery.commit());
    }
    equal(messages.length, 7);
    const { inFlight, received, delivered } = accounting.snapshot();
    deepEqual({ inFlight, received, delivered }, { inFlight: 0, received: 7 + out.length, delivered: 7 });
    equal(accounting.imbalance(), 0);
  },
};
