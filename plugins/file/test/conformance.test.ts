import { TempDir, testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";

const formats = [
  { name: "normal", holds: {} },
  { name: "raw", holds: { empty: false, bytes: false, oddCharacters: false, metadata: false, ids: false } },
] as const;

for (const { name: format, holds } of formats) {
  testConnector(
    { describe: (title, body) => describe(`${title}, ${format}`, body), it },
    {
      plugin,
      endpoint: "file",
      config: { input: { path: "x", format }, output: { path: "x", format } },
      fixture: {
        holds,
        async fresh() {
          const dir = await TempDir.make();
          const path = dir.file("records.jsonl");
          return {
            input: { path, format },
            output: { path, format },
            folder: dir.path,
            cleanup: () => dir.remove(),
          };
        },
        bad: [
          { name: "a directory", side: "input", config: { path: "/tmp" } },
          { name: "a directory to write to", side: "output", config: { path: "/tmp" } },
          { name: "an unknown codec", side: "output", config: { path: "x", compression: "brotli" } },
          { name: "encryption at rest", side: "output", config: { path: "x", encryption: { key: "AAAA" } } },
          { name: "a group without a name", side: "input", config: { path: "x", mode: "group_subscribe" } },
        ],
      },
    },
  );
}
