import { Message } from "@mqb/core/plugin";
import { FakeScope, TempDir, testMiddleware } from "@mqb/testkit";
import { afterAll, beforeAll, describe, it } from "vitest";
import plugin from "../src/index.ts";
import { KeyHash, Origin } from "../src/key/hash.ts";
import { Seen } from "../src/seen.ts";
import { Table } from "../src/table/table.ts";

let dir: TempDir;
let folders = 0;
beforeAll(async () => {
  dir = await TempDir.make();
});
afterAll(() => dir.remove());

const METADATA = new Map([["kept", "ä b"]]);
const message = (n: number) => new Message(`{"k":"key ${n}","rest":[ ${n} ]}`, METADATA);
const keyed = { ttl_seconds: 3600, key: "${payload:k}" };

testMiddleware(
  { describe, it },
  { plugin, middleware: "deduplication", message, config: { store: "memory:", ...keyed } },
);
testMiddleware({ describe, it }, { plugin, middleware: "deduplication", config: { store: "memory:", ttl_seconds: 1 } });

for (const durable of [false, true]) {
  describe(`on disk, durable: ${durable}`, () => {
    testMiddleware(
      { describe, it },
      {
        plugin,
        middleware: "deduplication",
        message,
        config: () => ({ store: `file://${dir.path}/${folders++}?durable=${durable}`, ...keyed }),
      },
    );
  });
}

describe("with keys that were seen before", () => {
  testMiddleware(
    { describe, it },
    {
      plugin,
      middleware: "deduplication",
      message,
      config: { store: "memory://", ...keyed },
      removed: (n) => new Message(`{"k":"seen ${n}"}`),
      context: () => ({ scope: seen() }),
    },
  );
});

/** A bridge in which some keys were accepted already. */
function seen(): FakeScope {
  const scope = new FakeScope();
  const seed = new Uint8Array(16);
  const { table } = scope.local("@mqb/dedup:memory:test", () => new Seen(seed, new Table()));
  const hash = new KeyHash(seed);
  for (let n = 0; n < 5; n++) {
    const key = Buffer.from(`seen ${n}`);
    hash.hash(key, 0, key.length, Origin.text);
    table.load(hash.words, 2 ** 52);
  }
  return scope;
}
