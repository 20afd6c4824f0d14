import type { StoreContext } from "@mqb/core/plugin";
import { FakeClock, FakeScope, recordingLogger } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";

const store = standard.stores!["memory"]!;
const context = () => {
  const scope = new FakeScope();
  const local: StoreContext["local"] = (key, make) => scope.local(key, make);
  return { log: recordingLogger(), clock: new FakeClock(), baseDir: "/", local };
};
const value = Buffer.from("v");

it("forgets the entries that were written longest ago beyond max_keys, and says so once", async () => {
  const given = context();
  const memory = await store.open("memory://orders?max_keys=3", given);
  await memory.putMany(["a", "b", "c"].map((key) => ({ key, value })));
  await memory.putMany([{ key: "a", value }]);
  await memory.putMany(["d", "e"].map((key) => ({ key, value })));
  const kept = await memory.getMany(["a", "b", "c", "d", "e"]);
  expect(kept.map((entry) => entry?.key)).toEqual(["a", undefined, undefined, "d", "e"]);
  await memory.putMany([{ key: "f", value }]);
  expect(given.log.at("warn")).toEqual([expect.stringContaining("max_keys=3")]);
});

it("forgets what has expired without a warning", async () => {
  const given = context();
  const memory = await store.open("memory:?max_keys=1", given);
  await memory.putMany([{ key: "a", value, expiresAt: given.clock.now() + 10 }]);
  await given.clock.advance(10);
  await memory.putMany([{ key: "b", value }]);
  expect((await memory.getMany(["b"]))[0]?.key).toBe("b");
  expect(given.log.entries).toEqual([]);
});

it.each(["memory:?max_keys=0", "memory:?max_keys=many", "memory:?max_keys=1.5", "memory://x?ttl=5"])(
  "refuses %s",
  (url) => {
    expect(() => store.open(url, context())).toThrow(expect.objectContaining({ code: "MQB_STANDARD_STORE_URL" }));
  },
);

it("keeps entries beyond a close, and shares them by name within one bridge", async () => {
  const given = context();
  const first = await store.open("memory://orders", given);
  await first.putMany([{ key: "a", value }]);
  await first.close();
  await expect(first.getMany(["a"])).rejects.toMatchObject({ code: "MQB_STANDARD_STORE_CLOSED" });
  const again = await store.open("memory://orders?max_keys=7", given);
  expect((await again.getMany(["a"]))[0]?.key).toBe("a");
  expect(await (await store.open("memory://others", given)).getMany(["a"])).toEqual([undefined]);
  expect(await (await store.open("memory://orders", context())).getMany(["a"])).toEqual([undefined]);
});
