import { Message } from "@mqb/core/plugin";
import expression from "@mqb/expression";
import standard from "@mqb/standard";
import { testMiddleware } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";

const METADATA = new Map([["kept", "ä b"]]);
const message = (n: number) => new Message(`{"k":"k${n % 7}","n":${n}}`, METADATA);
const removed = (n: number) => new Message(`{"k":"k","n":"no number ${n}"}`, METADATA);

const base = { key: "${payload:k}", into: "sums.k", fields: { n: "count", total: "sum(n)" } };
const common = {
  plugin,
  middleware: "aggregate",
  message,
  changes: true,
  context: () => ({ plugins: [expression, standard] }),
};

const MODES = {
  "in memory": { ...base, consistency: "single_writer" },
  shared: { ...base, store: "memory:" },
  "written behind": { ...base, store: "memory:", consistency: "single_writer" },
  "read only": { ...base, store: "memory:", read_only: true, emit: "previous" },
  "with an expression": {
    consistency: "single_writer",
    key: "${payload:k}",
    into: "sums.k",
    expression: "{ total: (state.total ?? 0) + n }",
  },
  "with skip": { ...base, consistency: "single_writer", on_error: "skip" },
};

for (const [name, config] of Object.entries(MODES)) {
  describe(name, () => testMiddleware({ describe, it }, { ...common, config }));
}

// On an input what cannot be folded is taken out; on an output it fails.
const { output: _, ...input } = plugin.middlewares!["aggregate"]!;
for (const name of ["in memory", "shared", "written behind"] as const) {
  describe(`${name}, with messages that cannot be folded`, () =>
    testMiddleware(
      { describe, it },
      { ...common, plugin: { ...plugin, middlewares: { aggregate: input } }, config: MODES[name], removed },
    ));
}
