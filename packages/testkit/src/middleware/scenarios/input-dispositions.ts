import { deepEqual, equal } from "node:assert/strict";
import { ACK, type Disposition, nack, reply } from "@mqb/core/plugin";
import { receiveAll } from "../receive.ts";
import type { InputLab, InputScenario } from "../types.ts";

export const inputDispositions: readonly InputScenario[] = [
  {
    name: "a commit without dispositions acks every message at the source",
    async run(lab) {
      lab.source.push(lab.messages(5));
      const { deliveries } = await receiveAll(lab, 5);
      for (const delivery of deliveries) await lab.settled(delivery.commit());
      deepEqual(await atSource(lab), ["ack", "ack", "ack", "ack", "ack"]);
      deepEqual(lab.source.violations, []);
    },
  },
  {
    name: "dispositions reach the source at the positions of their messages",
    async run(lab) {
      const error = new Error("not this one");
      const answer = lab.message(99);
      const given: Disposition[] = [ACK, nack(error), reply(answer), ACK, nack(error)];
      lab.source.push(lab.messages(5));
      const { deliveries } = await receiveAll(lab, 5);
      let at = 0;
      for (const delivery of deliveries) {
        await lab.settled(delivery.commit(given.slice(at, (at += delivery.batch.length))));
      }
      deepEqual(await atSource(lab), ["ack", "nack", "reply", "ack", "nack"]);
      const all = (await committed(lab)).flat();
      equal((all[1] as { error?: unknown }).error, error, "the reason of a nack is kept");
      if (!lab.subject.tested.changes) equal((all[2] as { message: unknown }).message, answer);
      deepEqual(lab.source.violations, []);
    },
  },
  {
    name: "deliveries may be committed in another order than they came in",
    async run(lab) {
      lab.source.push(lab.messages(2)).push(lab.messages(2, 2));
      const { deliveries } = await receiveAll(lab, 4);
      const last = deliveries.pop()!;
      await lab.settled(last.commit(Array.from(last.batch, () => nack(new Error("again")))));
      for (const delivery of deliveries) await lab.settled(delivery.commit());
      const nacked = last.batch.length;
      deepEqual(await atSource(lab), [...Array(4 - nacked).fill("ack"), ...Array(nacked).fill("nack")]);
      deepEqual(lab.source.violations, []);
    },
  },
];

/** What the source was told of its messages, in the order of their receipt. */
async function atSource(lab: InputLab): Promise<string[]> {
  return (await committed(lab)).flat().map((disposition) => disposition.type);
}

function committed(lab: InputLab): Promise<(readonly Disposition[])[]> {
  return lab.settled(Promise.all(lab.source.deliveries.map((given) => given.committed)));
}
