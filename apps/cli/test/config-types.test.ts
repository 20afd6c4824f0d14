import "@mqb/file";
import "@mqb/standard";
import { defineConfig } from "@mqb/core";
import { expect, it } from "vitest";

it("a configuration in TypeScript knows exactly the endpoints and middlewares that are imported", () => {
  const config = defineConfig({
    log_level: "info,file=debug",
    metrics_addr: "127.0.0.1:9100",
    endpoints: { archive: { file: { path: "archive.jsonl" } } },
    routes: {
      orders: {
        enabled: true,
        input: {
          file: { path: "in.csv", format: "csv", csv: { separator: ";" } },
          middlewares: [{ filter: "amount > 1" }],
        },
        output: {
          ref: "archive",
          middlewares: [{ retry: { max_attempts: 3 } }, { dlq: { endpoint: { memory: { topic: "d" } } } }],
        },
        exit_on_empty: true,
      },
    },
  });
  expect(Object.keys(config.routes)).toEqual(["orders"]);
});

it("the compiler refuses what is not installed, misspelt or of the wrong type", () => {
  // @ts-expect-error no plugin brings it
  defineConfig({ routes: { r: { input: { pulsar: { topic: "a" } } } } });
  // @ts-expect-error no such field
  defineConfig({ routes: { r: { input: { file: { pth: "a" } } } } });
  // @ts-expect-error no such field beside those that are needed
  defineConfig({ routes: { r: { input: { file: { path: "a", formt: "raw" } } } } });
  // @ts-expect-error two kinds in one endpoint
  defineConfig({ routes: { r: { input: { file: { path: "a" }, memory: { topic: "b" } } } } });
  // @ts-expect-error not one of the values
  defineConfig({ routes: { r: { input: { file: { path: "a", format: "xml" } } } } });
  // @ts-expect-error a number is needed
  defineConfig({ routes: { r: { input: { file: { path: "a" } }, concurrency: "4" } } });
  // @ts-expect-error no such middleware
  defineConfig({ routes: { r: { input: { file: { path: "a" }, middlewares: [{ retyr: {} }] } } } });
  // @ts-expect-error a route needs an input
  defineConfig({ routes: { r: { output: { file: { path: "a" } } } } });
  // @ts-expect-error no such option
  defineConfig({ routes: { r: { input: { file: { path: "a" } }, bach_size: 1 } } });
  // What counts happened when this file was compiled.
  expect(defineConfig.length).toBe(1);
});
