import { Message } from "@mqb/core/plugin";
import expression from "@mqb/expression";
import { testMiddleware } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";

const METADATA = new Map([["kept", "ä b"]]);
const message = (n: number) => new Message(`{"n":"${n}","rest":[ ${n} ]}`, METADATA);
const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };

const common = { plugin, middleware: "transform", message, changes: true };

// A schema, also behind a mapping, makes no message of bytes; an expression is asked about one.
testMiddleware({ describe, it }, { ...common, config: { schema } });
testMiddleware({ describe, it }, { ...common, config: { mapping: { n: "n", "inner.rest": "rest[0]" }, schema } });
testMiddleware(
  { describe, it },
  {
    ...common,
    config: { mapping: { n: "n", "inner.rest": "rest[0]" }, expression: "{ n: n, rest: inner.rest }", schema },
    context: () => ({ plugins: [expression] }),
    looksInside: true,
  },
);

// Nothing to do: it must not be in the way.
testMiddleware({ describe, it }, { plugin, middleware: "transform", config: {} });

// On an input what it rejects is taken out; on an output it fails.
const { output: _, ...input } = plugin.middlewares!["transform"]!;
const removed = (n: number) => new Message(`{"n":"no number ${n}"}`, METADATA);
testMiddleware(
  { describe, it },
  { ...common, plugin: { ...plugin, middlewares: { transform: input } }, config: { schema }, removed },
);
