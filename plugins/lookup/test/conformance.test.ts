import { Message } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { testMiddleware } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";

const METADATA = new Map([["kept", "ä b"]]);
const message = (n: number) => new Message(`{"n":${n},"rest":[ ${n} ]}`, METADATA);
const from = { static: { body: '{"name":"${payload:n}"}', raw: true } };
const common = { plugin, middleware: "lookup", changes: true, context: () => ({ plugins: [standard] }) };
// An endpoint in a test's context says nothing of itself, so that it is asked with one message after another.
const looksInside = true;
const children = [{ type: "static", output: standard.endpoints!["static"]!.output!.capabilities({}, {} as never) }];

for (const concurrency of [1, 8]) {
  testMiddleware(
    { describe, it },
    { ...common, message, looksInside, config: { from, into: "user.rec", concurrency } },
  );
  testMiddleware(
    { describe, it },
    {
      ...common,
      message,
      looksInside,
      config: {
        concurrency,
        on_error: "write_null",
        entries: [
          { from, into: "a", cache: { key: "${payload:n}" } },
          { from, into: "b.c", metadata: { m: "${payload:n}" } },
        ],
      },
    },
  );
}

// A whole batch at once; a key is found without a message.
testMiddleware(
  { describe, it },
  {
    ...common,
    message,
    config: { from, into: "user.rec", cache: { key: "${payload:n}" } },
    context: () => ({ plugins: [standard], children }),
  },
);

// The payload is replaced, and may be anything.
testMiddleware({ describe, it }, { ...common, looksInside, config: { from, into: "$" } });

// What is not found is taken out.
testMiddleware(
  { describe, it },
  {
    ...common,
    looksInside,
    message: (n) => new Message(`{"id":"u${n}"}`, METADATA),
    removed: () => new Message('{"id":""}', METADATA),
    config: { from: { static: { body: "${payload:id}", raw: true } }, into: "user", on_missing: "drop" },
  },
);
