import { deepEqual, equal, ok } from "node:assert/strict";
import { ACK, nack } from "@mqb/core/plugin";
import { receiveAll } from "../receive.ts";
import type { InputLab, InputScenario, MiddlewareSubject } from "../types.ts";

const removesNothing = ({ tested }: MiddlewareSubject): string | undefined =>
  tested.removed ? undefined : "the test gives no message that it removes";

export const inputEmptied: readonly InputScenario[] = [
  {
    name: "a batch that it empties is committed in its turn and is not the end of the source",
    leftOut: removesNothing,
    async run(lab) {
      lab.source.push(removed(lab, 3)).push(lab.messages(1, 100));
      const { deliveries, messages } = await receiveAll(lab, 1);
      equal(messages.length, 1);
      for (const delivery of deliveries) {
        ok(delivery.batch.length > 0 || delivery.emptied, "an emptied batch must be marked `emptied`");
        await lab.settled(delivery.commit());
      }
      deepEqual(
        lab.source.deliveries.map((given) => given.commits),
        [1, 1],
      );
      equal(lab.context.accounting.get("inFlight"), 1, "what was taken out is settled, the rest is the route's");
    },
  },
  {
    name: "the source acks what was taken out; the rest keeps its positions",
    leftOut: removesNothing,
    async run(lab) {
      const [first, second] = removed(lab, 2);
      lab.source.push([lab.message(0), first!, lab.message(1), second!, lab.message(2)]);
      const { deliveries } = await receiveAll(lab, 3);
      const kept = [ACK, nack(new Error("not this one")), ACK];
      for (const delivery of deliveries) await lab.settled(delivery.commit(kept.splice(0, delivery.batch.length)));
      const [given] = lab.source.deliveries;
      const types = (await given!.committed).map((one) => one.type);
      deepEqual(types, ["ack", "ack", "nack", "ack", "ack"]);
    },
  },
];

function removed(lab: InputLab, count: number): ReturnType<InputLab["messages"]> {
  const make = lab.subject.tested.removed!;
  return Array.from({ length: count }, (_, n) => make(n, "input"));
}
