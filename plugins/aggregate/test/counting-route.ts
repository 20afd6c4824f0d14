import { createBridge, createRegistry } from "@mqb/core";
import expression from "@mqb/expression";
import file from "@mqb/file";
import standard from "@mqb/standard";
import plugin from "../src/index.ts";

// Copies in.jsonl to out.jsonl with counts, from where it stopped the last time. Killed by its test.
const [baseDir = "", consistency = "", side = ""] = process.argv.slice(2);
const aggregate = {
  store: "file:states.json",
  consistency,
  entries: [
    { key: "${payload:k}", into: "f", fields: { n: "count", ids: "sum(id)" } },
    { key: "${payload:all}", into: "x", expression: "(state ?? 0) + 1" },
  ],
};
const middlewares = { [side]: [{ aggregate }] };
const bridge = createBridge({ registry: createRegistry([standard, file, expression, plugin]), baseDir });
const route = bridge.route("r", {
  exit_on_empty: true,
  concurrency: 4,
  batch_size: 20,
  commit_concurrency_limit: 4,
  input: {
    file: { path: "in.jsonl", format: "raw", mode: "group_subscribe", group_id: "g" },
    middlewares: middlewares["input"] ?? [],
  },
  output: {
    file: { path: "out.jsonl", format: "raw" },
    middlewares: [{ delay: { delay_ms: 3 } }, ...(middlewares["output"] ?? [])],
  },
} as never);
await route.start();
process.stdout.write("started\n");
const { outcome } = await route.done;
process.stdout.write(`${outcome}\n`);
