import { defineConfig } from "@mqb/core";
import type {} from "@mqb/file";
import type {} from "@mqb/standard";
import { expect, it } from "vitest";
import type {} from "../src/index.ts";

it("a lookup in a configuration of code has types, and so has what it asks", () => {
  const config = defineConfig({
    routes: {
      r: {
        input: {
          file: { path: "in.jsonl" },
          middlewares: [
            {
              lookup: {
                from: { static: "x", middlewares: [{ delay: { delay_ms: 1 } }] },
                into: "user",
                cache: { key: ["${payload:a}", "${metadata:b}"], ttl_ms: 5 },
                entries: [{ from: { static: "y" }, into: "b.c", metadata: { k: "v" } }],
                on_missing: "leave_out",
              },
            },
            // @ts-expect-error no such endpoint
            { lookup: { from: { nothing: {} }, into: "user" } },
            // @ts-expect-error no such policy
            { lookup: { from: { static: "x" }, into: "user", on_error: "ignore" } },
          ],
        },
      },
    },
  });
  expect(config.routes?.["r"]).toBeDefined();
});
