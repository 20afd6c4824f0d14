import { equal } from "node:assert/strict";
import type { StateStore } from "@mqb/core/plugin";
import type { StoreScenario } from "../types.ts";

const WRITERS = 8;
const ADDITIONS = 10;

export const concurrentWriters: readonly StoreScenario[] = [
  {
    name: "concurrent writers that expect a version lose no update",
    async run(lab) {
      const store = await lab.open();
      await Promise.all(Array.from({ length: WRITERS }, () => count(store)));
      equal(await counted(store), WRITERS * ADDITIONS);
    },
  },
  {
    name: "writers with handles of their own lose no update",
    leftOut: ({ durable, exclusive }) =>
      exclusive
        ? "one handle at a time"
        : durable
          ? undefined
          : "the store is not durable, so that handles need not share entries",
    async run(lab) {
      const handles = await Promise.all([lab.open(), lab.open(), lab.open()]);
      await Promise.all(handles.map(count));
      for (const handle of handles) equal(await counted(handle), handles.length * ADDITIONS);
    },
  },
  {
    name: "concurrent calls for different keys do not disturb each other",
    async run(lab) {
      const store = await lab.open();
      await Promise.all(
        Array.from({ length: WRITERS }, async (_, n) => {
          const key = `writer ${n}`;
          for (let i = 0; i < ADDITIONS; i++) {
            await store.putMany([{ key, value: Buffer.from(`${n}.${i}`) }]);
            const [entry] = await store.getMany([key]);
            equal(entry && Buffer.from(entry.value).toString(), `${n}.${i}`);
          }
          await store.deleteMany([key]);
        }),
      );
    },
  },
];

/** Adds 1 to the same key, again and again, each time over the version that it has read. */
async function count(store: StateStore): Promise<void> {
  for (let added = 0; added < ADDITIONS; ) {
    const [entry] = await store.getMany(["counter"]);
    const value = Buffer.from(String(Number(entry ? Buffer.from(entry.value).toString() : 0) + 1));
    const [result] = await store.putMany([{ key: "counter", value, expectedVersion: entry?.version ?? null }]);
    if (result!.type === "written") added++;
  }
}

async function counted(store: StateStore): Promise<number> {
  const [entry] = await store.getMany(["counter"]);
  return Number(Buffer.from(entry!.value).toString());
}
