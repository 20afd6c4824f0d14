import { equal, ok } from "node:assert/strict";
import type { StoreScenario, StoreSubject } from "../types.ts";

const notDurable = ({ durable }: StoreSubject): string | undefined =>
  durable ? undefined : "the store does not outlive its handle";

export const reopening: readonly StoreScenario[] = [
  {
    name: "a store that is opened again holds its entries, versions and expiries",
    leftOut: notDurable,
    async run(lab) {
      const store = await lab.open();
      const expiresAt = lab.clock.now() + 60_000;
      const [a] = await store.putMany([
        { key: "a", value: Buffer.from("1") },
        { key: "b", value: Buffer.from("2"), expiresAt },
        { key: "c", value: Buffer.from("3") },
      ]);
      await store.deleteMany(["c"]);
      await store.close();

      const again = await lab.open();
      ok(a?.type === "written");
      const [entry, other, gone] = await again.getMany(["a", "b", "c"]);
      equal(entry?.version, a.version);
      equal(Buffer.from(entry!.value).toString(), "1");
      equal(other?.expiresAt, expiresAt);
      equal(gone, undefined);
      const [result] = await again.putMany([{ key: "a", value: Buffer.from("2"), expectedVersion: a.version }]);
      equal(result!.type, "written");
    },
  },
  {
    name: "a write that was under way at close is whole or absent",
    leftOut: notDurable,
    async run(lab) {
      const store = await lab.open();
      const keys = Array.from({ length: 100 }, (_, n) => `key ${n}`);
      const writing = store.putMany(keys.map((key) => ({ key, value: Buffer.from(key) })));
      const [written] = await Promise.allSettled([writing, store.close()]);

      const again = await lab.open();
      const found = (await again.getMany(keys)).flatMap((entry) => (entry ? [entry] : []));
      for (const { key, value } of found) equal(Buffer.from(value).toString(), key);
      if (written.status === "fulfilled") equal(found.length, keys.length, "putMany has resolved");
    },
  },
];
