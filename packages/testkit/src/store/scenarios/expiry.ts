import { deepEqual, equal, ok } from "node:assert/strict";
import type { StoreScenario } from "../types.ts";

const MINUTE = 60_000;

export const expiry: readonly StoreScenario[] = [
  {
    name: "an entry counts as absent after its expiry, by the clock of the context",
    async run(lab) {
      const store = await lab.open();
      const expiresAt = lab.clock.now() + 10 * MINUTE;
      await store.putMany([
        { key: "short", value: Buffer.from("1"), expiresAt },
        { key: "for ever", value: Buffer.from("2") },
      ]);
      await lab.clock.advance(9 * MINUTE);
      const before = await store.getMany(["short", "for ever"]);
      deepEqual(
        before.map((entry) => entry?.expiresAt),
        [expiresAt, undefined],
      );
      await lab.clock.advance(2 * MINUTE);
      const after = await store.getMany(["short", "for ever"]);
      deepEqual(
        after.map((entry) => entry?.key),
        [undefined, "for ever"],
      );
    },
  },
  {
    name: "an expired entry is absent for expectedVersion too",
    async run(lab) {
      const store = await lab.open();
      const write = { key: "a", value: Buffer.from("1"), expiresAt: lab.clock.now() + MINUTE };
      const [old] = await store.putMany([write]);
      ok(old?.type === "written");
      await lab.clock.advance(2 * MINUTE);
      const [stale] = await store.putMany([{ key: "a", value: Buffer.from("2"), expectedVersion: old.version }]);
      deepEqual(stale, { type: "conflict" });
      const [fresh] = await store.putMany([{ key: "a", value: Buffer.from("3"), expectedVersion: null }]);
      equal(fresh!.type, "written");
    },
  },
  {
    name: "a later write replaces the expiry",
    async run(lab) {
      const store = await lab.open();
      const expiresAt = lab.clock.now() + MINUTE;
      await store.putMany([
        { key: "kept", value: Buffer.from("1"), expiresAt },
        { key: "longer", value: Buffer.from("1"), expiresAt },
      ]);
      await store.putMany([
        { key: "kept", value: Buffer.from("2") },
        { key: "longer", value: Buffer.from("2"), expiresAt: expiresAt + 10 * MINUTE },
      ]);
      await lab.clock.advance(5 * MINUTE);
      deepEqual(
        (await store.getMany(["kept", "longer"])).map((entry) => entry?.key),
        ["kept", "longer"],
      );
    },
  },
];
