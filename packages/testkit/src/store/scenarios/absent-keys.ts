import { deepEqual } from "node:assert/strict";
import type { StoreScenario } from "../types.ts";

export const absentKeys: StoreScenario = {
  name: "absent keys read as undefined, by position, and may be deleted",
  async run(lab) {
    const store = await lab.open();
    await store.putMany([{ key: "b", value: Buffer.from("1") }]);
    const found = await store.getMany(["a", "b", "c"]);
    deepEqual(
      found.map((entry) => entry?.key),
      [undefined, "b", undefined],
    );
    await store.deleteMany(["a", "c"]);
    deepEqual((await store.getMany(["b"]))[0]?.key, "b");
  },
};
