import aggregate from "@mqb/aggregate";
import { createBridge, createRegistry } from "@mqb/core";
import { describeError } from "@mqb/core/plugin";
import dedup from "@mqb/dedup";
import file from "@mqb/file";
import sqlite from "@mqb/sqlite";
import standard from "@mqb/standard";
import plugin from "../src/index.ts";

// Copies <name>.in.jsonl to <name>.out.jsonl from where it stopped the last time, with keys or states in a database. Run,
// and killed, by its test.
const [baseDir = "", store = "", middleware = "", name = ""] = process.argv.slice(2);
const middlewares = {
  deduplication: { deduplication: { store, ttl_seconds: 3600, key: "${payload:id}" } },
  aggregate: { aggregate: { store, key: "${payload:k}", into: "f", fields: { n: "count", ids: "sum(id)" } } },
};
const bridge = createBridge({
  registry: createRegistry([standard, file, dedup, aggregate, sqlite, plugin]),
  baseDir,
});
const route = bridge.route("r", {
  exit_on_empty: true,
  startup_timeout_ms: 60_000,
  concurrency: 4,
  batch_size: 50,
  commit_concurrency_limit: 4,
  input: {
    file: { path: `${name}.in.jsonl`, format: "raw", mode: "group_subscribe", group_id: name },
    middlewares: [middlewares[middleware as keyof typeof middlewares]],
  },
  output: { file: { path: `${name}.out.jsonl`, format: "raw" } },
} as never);
await route.start();
process.stdout.write("started\n");
const { outcome, error } = await route.done;
process.stdout.write(`${outcome} ${error === undefined ? "" : describeError(error)}\n`);
