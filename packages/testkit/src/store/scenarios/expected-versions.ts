import { deepEqual, equal, ok } from "node:assert/strict";
import type { StateStore, WriteResult } from "@mqb/core/plugin";
import type { StoreScenario } from "../types.ts";

export const expectedVersions: readonly StoreScenario[] = [
  {
    name: "expectedVersion null writes only an absent key",
    async run(lab) {
      const store = await lab.open();
      equal((await put(store, "a", "1", null)).type, "written");
      const refused = await put(store, "a", "2", null);
      ok(refused.type === "conflict");
      equal(text(refused.current?.value), "1", "the conflict shows what is there");
      equal(await value(store, "a"), "1");

      await store.deleteMany(["a"]);
      equal((await put(store, "a", "3", null)).type, "written", "a deleted key is absent");
    },
  },
  {
    name: "expectedVersion writes only over that version",
    async run(lab) {
      const store = await lab.open();
      const first = await put(store, "a", "1");
      ok(first.type === "written");
      const second = await put(store, "a", "2", first.version);
      ok(second.type === "written");

      const refused = await put(store, "a", "3", first.version);
      ok(refused.type === "conflict");
      equal(refused.current?.version, second.version);
      equal(text(refused.current?.value), "2");
      equal(await value(store, "a"), "2");
    },
  },
  {
    name: "expectedVersion of a key that is gone is a conflict without an entry",
    async run(lab) {
      const store = await lab.open();
      const first = await put(store, "a", "1");
      ok(first.type === "written");
      await store.deleteMany(["a"]);
      const refused = await put(store, "a", "2", first.version);
      ok(refused.type === "conflict");
      equal(refused.current, undefined);
      equal(await value(store, "a"), undefined);

      equal((await put(store, "a", "3", null)).type, "written");
      const stale = await put(store, "a", "4", first.version);
      equal(stale.type, "conflict", "a version of before the deletion does not come back");
    },
  },
  {
    name: "a conflict stops no other write of its call",
    async run(lab) {
      const store = await lab.open();
      await put(store, "b", "old");
      const results = await store.putMany([
        { key: "a", value: Buffer.from("new") },
        { key: "b", value: Buffer.from("new"), expectedVersion: null },
        { key: "c", value: Buffer.from("new") },
      ]);
      deepEqual(
        results.map((result) => result.type),
        ["written", "conflict", "written"],
      );
      deepEqual(
        (await store.getMany(["a", "b", "c"])).map((entry) => text(entry?.value)),
        ["new", "old", "new"],
      );
    },
  },
];

async function put(
  store: StateStore,
  key: string,
  value: string,
  expectedVersion?: string | null,
): Promise<WriteResult> {
  const write = { key, value: Buffer.from(value) };
  const [result] = await store.putMany([expectedVersion === undefined ? write : { ...write, expectedVersion }]);
  return result!;
}

async function value(store: StateStore, key: string): Promise<string | undefined> {
  return text((await store.getMany([key]))[0]?.value);
}

function text(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString();
}
