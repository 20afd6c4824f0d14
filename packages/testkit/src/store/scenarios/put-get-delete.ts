import { deepEqual, equal, notEqual } from "node:assert/strict";
import type { WriteResult } from "@mqb/core/plugin";
import type { StoreScenario } from "../types.ts";

export const putGetDelete: StoreScenario = {
  name: "what is put is read by position, with a version that changes at every write, until it is deleted",
  async run(lab) {
    const store = await lab.open();
    const first = await store.putMany([
      { key: "a", value: Buffer.from("1") },
      { key: "b", value: Buffer.from("2") },
      { key: "c", value: Buffer.from("3") },
    ]);
    deepEqual(
      first.map((result) => result.type),
      ["written", "written", "written"],
    );

    const read = await store.getMany(["c", "a", "a"]);
    deepEqual(
      read.map((entry) => entry && [entry.key, Buffer.from(entry.value).toString(), entry.expiresAt]),
      [
        ["c", "3", undefined],
        ["a", "1", undefined],
        ["a", "1", undefined],
      ],
    );
    equal(read[1]!.version, versionOf(first[0]), "a read gives the version of the write");

    const [again] = await store.putMany([{ key: "a", value: Buffer.from("1") }]);
    notEqual(versionOf(again), read[1]!.version, "the same value is a new version too");

    await store.deleteMany(["a", "c"]);
    const left = await store.getMany(["a", "b", "c"]);
    deepEqual(
      left.map((entry) => entry && Buffer.from(entry.value).toString()),
      [undefined, "2", undefined],
    );
  },
};

function versionOf(result: WriteResult | undefined): string | undefined {
  return result?.type === "written" ? result.version : undefined;
}
