import { deepEqual } from "node:assert/strict";
import type { ConnectorLab } from "../lab.ts";
import { idempotent, stored, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

const COUNT = 10;

/** What a route sends again after a reconnect comes through another opening of the sink. */
export const duplicates: ConnectorScenario = {
  name: "a message that is sent again after the sink is opened anew is stored once",
  leftOut: unless(idempotent, stored),
  async run(lab) {
    const sent = lab.messages(COUNT);
    await sendOnce(lab, sent);
    await sendOnce(lab, [...sent.slice(4), ...lab.messages(2, COUNT)]);
    deepEqual(
      await lab.stored(COUNT + 2),
      Array.from({ length: COUNT + 2 }, (_, n) => n),
    );
  },
};

async function sendOnce(lab: ConnectorLab, sent: ReturnType<ConnectorLab["messages"]>): Promise<void> {
  const publisher = await lab.publisher();
  await lab.send(publisher, sent);
  await lab.soon(Promise.resolve(publisher.flush?.()), "a flush");
  await lab.soon(publisher.close(), "closing the sink");
}
