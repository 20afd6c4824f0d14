import { rejects } from "node:assert/strict";
import type { StoreScenario } from "../types.ts";

export const closing: readonly StoreScenario[] = [
  {
    name: "close may be called again, also at the same time",
    async run(lab) {
      const store = await lab.open();
      await Promise.all([store.close(), store.close()]);
      await store.close();
    },
  },
  {
    name: "a call after close is refused, not swallowed",
    async run(lab) {
      const store = await lab.open();
      await store.close();
      await rejects(async () => store.putMany([{ key: "a", value: Buffer.from("1") }]));
      await rejects(async () => store.getMany(["a"]));
      await rejects(async () => store.deleteMany(["a"]));
    },
  },
];
