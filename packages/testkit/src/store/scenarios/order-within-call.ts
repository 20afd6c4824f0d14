import { deepEqual, equal } from "node:assert/strict";
import type { StoreScenario } from "../types.ts";

export const orderWithinCall: StoreScenario = {
  name: "writes of one call to the same key are applied in order",
  async run(lab) {
    const store = await lab.open();
    const results = await store.putMany([
      { key: "a", value: Buffer.from("first") },
      { key: "b", value: Buffer.from("other") },
      { key: "a", value: Buffer.from("second"), expectedVersion: null },
      { key: "a", value: Buffer.from("third") },
    ]);
    deepEqual(
      results.map((result) => result.type),
      ["written", "written", "conflict", "written"],
      "the write that expects the key to be absent comes after the first one",
    );
    const [entry] = await store.getMany(["a"]);
    equal(Buffer.from(entry!.value).toString(), "third");
    const last = results[3]!;
    equal(entry!.version, last.type === "written" && last.version);
  },
};
