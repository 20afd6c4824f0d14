import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";

testConnector(
  { describe, it },
  {
    plugin,
    endpoint: "pigeonhole",
    config: { input: { path: "inbox" }, output: { path: "inbox" } },
    fixture: {
      fresh: async () => {
        const path = await mkdtemp(join(tmpdir(), "mqb-pigeonhole-"));
        return {
          input: { path, poll_ms: 5 },
          output: { path },
          cleanup: () => rm(path, { recursive: true, force: true }),
        };
      },
      patienceMs: 30_000,
      bad: [{ name: "a path that is a file", side: "input", config: { path: fileURLToPath(import.meta.url) } }],
    },
  },
);
