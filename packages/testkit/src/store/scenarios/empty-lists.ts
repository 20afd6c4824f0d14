import { deepEqual } from "node:assert/strict";
import type { StoreScenario } from "../types.ts";

export const emptyLists: StoreScenario = {
  name: "empty lists are answered with empty lists",
  async run(lab) {
    const store = await lab.open();
    deepEqual(await store.getMany([]), []);
    deepEqual(await store.putMany([]), []);
    await store.deleteMany([]);
  },
};
