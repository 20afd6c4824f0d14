import { Message } from "@mqb/core/plugin";
import { type ConnectorFixture, type Holds, TempDir, testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import type { FileOptions } from "../src/index.ts";
import plugin from "../src/index.ts";

interface Kind {
  readonly name: string;
  readonly input?: Partial<FileOptions>;
  readonly both?: Partial<FileOptions>;
  readonly fixture?: Partial<ConnectorFixture>;
}

const lines: Holds = { empty: false, bytes: false, oddCharacters: false, metadata: false, ids: false };
const row: Partial<ConnectorFixture> = {
  holds: lines,
  message: (n) => new Message(JSON.stringify({ n: `${n}` })),
  identify: (message) => Number((message.json() as { n: string }).n),
  refused: () => new Message("no object"),
};
const halfPair: Partial<ConnectorFixture> = { refused: () => new Message("x", new Map([["k", "\ud800"]])) };

const kinds: readonly Kind[] = [
  { name: "normal", fixture: halfPair },
  { name: "normal in a group", input: { mode: "group_subscribe", group_id: "g" }, fixture: halfPair },
  { name: "normal, deleting", input: { mode: "consume", delete: true } },
  { name: "json", both: { format: "json" } },
  { name: "raw", both: { format: "raw" }, fixture: { holds: lines } },
  { name: "csv", both: { format: "csv" }, fixture: row },
  { name: "gzip", both: { compression: "gzip" } },
  { name: "zstd", both: { compression: "zstd" } },
];

const bad: ConnectorFixture["bad"] = [
  { name: "a directory", side: "input", config: { path: "/" } },
  { name: "a directory to write to", side: "output", config: { path: "/" } },
  { name: "an unknown codec", side: "output", config: { path: "x", compression: "brotli" } },
  { name: "encryption at rest", side: "output", config: { path: "x", encryption: { key: "AAAA" } } },
  { name: "a group without a name", side: "input", config: { path: "x", mode: "group_subscribe" } },
];

for (const { name, input, both, fixture } of kinds) {
  testConnector(
    { describe: (title, body) => describe(`${title}, ${name}`, body), it },
    {
      plugin,
      endpoint: "file",
      config: { input: { path: "x", ...both, ...input }, output: { path: "x", ...both } },
      fixture: {
        bad,
        ...fixture,
        async fresh() {
          const dir = await TempDir.make();
          const path = dir.file("records");
          return {
            input: { path, ...both, ...input },
            output: { path, ...both },
            folder: dir.path,
            cleanup: () => dir.remove(),
          };
        },
      },
    },
  );
}
