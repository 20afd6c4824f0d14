import { equal, ok } from "node:assert/strict";
import type { StoreScenario } from "../types.ts";

export const values: readonly StoreScenario[] = [
  {
    name: "any bytes come back as they were: none, all 256, a mebibyte",
    async run(lab) {
      const store = await lab.open();
      const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      const large = Buffer.alloc(1024 * 1024, all);
      await store.putMany([
        { key: "empty", value: new Uint8Array(0) },
        { key: "all", value: all },
        { key: "large", value: large },
      ]);
      const [empty, every, big] = await store.getMany(["empty", "all", "large"]);
      ok(empty, "an empty value is not an absent one");
      equal(empty.value.length, 0);
      ok(all.equals(every!.value));
      ok(large.equals(big!.value));
    },
  },
  {
    name: "a stored value does not change with the buffer that it was written from or read into",
    async run(lab) {
      const store = await lab.open();
      const buffer = Buffer.from("written");
      await store.putMany([{ key: "a", value: buffer.subarray(0, 4) }]);
      buffer.fill("x");
      const [first] = await store.getMany(["a"]);
      equal(Buffer.from(first!.value).toString(), "writ");
    },
  },
];
