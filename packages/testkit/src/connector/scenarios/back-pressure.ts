import { ok } from "node:assert/strict";
import { isPending } from "../../wait/eventually.ts";
import type { ConnectorLab } from "../lab.ts";
import { holds, input, narrow, ownPayloads, stored, unless } from "../left-out.ts";
import { kibibytes, LARGE_COUNT, LARGE_PAYLOAD, settledMemory } from "../memory.ts";
import type { ConnectorScenario } from "../types.ts";

const BOUND = (LARGE_COUNT * LARGE_PAYLOAD) / 2;

export const backPressure: readonly ConnectorScenario[] = [
  {
    name: "a source that nobody reads from on holds back: memory does not grow with what is waiting",
    leftOut: unless(input, stored, holds("large"), ownPayloads),
    async run(lab) {
      await seedLarge(lab);
      const before = await settledMemory();
      const { batch } = await lab.soon(
        (await lab.consumer()).receive(1, new AbortController().signal),
        "the first message",
      );
      ok(batch.length <= 1);
      const grown = (await settledMemory()) - before;
      ok(grown < BOUND, `one message was asked for, and memory has grown by ${kibibytes(grown)}`);
    },
  },
  {
    name: "a send into a full sink waits until somebody reads",
    leftOut: unless(narrow),
    async run(lab) {
      const { capacity, fresh } = lab.tested.fixture.narrow!;
      await using inside = lab.in(await fresh());
      const publisher = await inside.publisher();
      await inside.send(publisher, inside.messages(capacity));
      const waiting = inside.send(publisher, inside.messages(1, capacity));
      waiting.catch(() => {});
      ok(await isPending(waiting, 200), `${capacity} messages are there already, and another one was accepted`);
      const reader = inside.reader();
      await reader.commit(await reader.take(1));
      await inside.soon(waiting, "the send, now that there is room");
      await reader.commit(await reader.take(1));
    },
  },
];

/** Puts more payload into the place than a source may hold in advance. */
export async function seedLarge(lab: ConnectorLab): Promise<void> {
  const filler = ".".repeat(LARGE_PAYLOAD);
  for (let from = 0; from < LARGE_COUNT; from += 64) {
    const part = lab.messages(64, from);
    await lab.seed(part.map((message) => message.with({ payload: Buffer.from(message.text() + filler) })));
  }
}
