import { deepEqual } from "node:assert/strict";
import type { StoreScenario } from "../types.ts";

const KEYS = [
  "k".repeat(255),
  "é".repeat(255),
  "__proto__",
  "constructor",
  "",
  " ",
  "a",
  "A",
  "a ",
  "../../etc/passwd",
  "a/b\\c:d*e?f",
  "line\nbreak\ttab",
  "quote'\"`;--",
  "%_$1{}",
  "zero\u0000byte",
  "e\u0301",
  "\u00e9",
  "日本語 🚀",
];

export const oddKeys: StoreScenario = {
  name: "keys of up to 255 characters are kept apart, whatever they hold",
  async run(lab) {
    const store = await lab.open();
    await store.putMany(KEYS.map((key, n) => ({ key, value: Buffer.from(String(n)) })));
    const expected = KEYS.map((key, n) => [key, String(n)]);
    const read = await store.getMany(KEYS);
    deepEqual(
      read.map((entry) => entry && [entry.key, Buffer.from(entry.value).toString()]),
      expected,
    );
    deepEqual(await store.getMany(["toString", "K".repeat(255), "k".repeat(254)]), [undefined, undefined, undefined]);
    await store.deleteMany(["__proto__", "a "]);
    deepEqual(
      (await store.getMany(["__proto__", "a ", "a", "constructor"])).map((entry) => entry?.key),
      [undefined, undefined, "a", "constructor"],
    );
  },
};
