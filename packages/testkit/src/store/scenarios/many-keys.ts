import { deepEqual, equal } from "node:assert/strict";
import type { StoreScenario } from "../types.ts";

export const manyKeys: StoreScenario = {
  name: "thousands of keys fit into one call",
  async run(lab) {
    const store = await lab.open();
    const keys = Array.from({ length: lab.manyKeys }, (_, n) => `key ${n}`);
    const written = await store.putMany(keys.map((key) => ({ key, value: Buffer.from(key) })));
    equal(written.length, keys.length);
    const read = await store.getMany(keys);
    deepEqual(
      read.map((entry) => entry && Buffer.from(entry.value).toString()),
      keys,
    );
    await store.deleteMany(keys.slice(1));
    deepEqual(
      (await store.getMany(keys)).flatMap((entry) => (entry ? [entry.key] : [])),
      ["key 0"],
    );
  },
};
