import { expect, it } from "vitest";
import { pluginManifest } from "../generate/manifest.mjs";

const PACKAGE = {
  name: "@mqb/thing",
  version: "1.0.0",
  description: "",
  license: "MIT",
  exports: { ".": "./index.js", "./package.json": "./package.json" },
  files: ["dist", "src"],
};

it("lists every name of an endpoint or middleware, so that a configuration with an alias finds the package", () => {
  const definition = (aliases?: string[]) =>
    ({ description: "", schema: {}, ...(aliases ? { aliases } : {}) }) as never;
  const { mqb } = pluginManifest(PACKAGE, {
    name: "@mqb/thing",
    apiVersion: 1,
    endpoints: { object_store: definition(["objectstore", "s3"]), other: definition() },
    middlewares: { dedup: definition(["deduplication"]) },
  });
  expect(mqb).toMatchObject({
    endpoints: ["object_store", "objectstore", "s3", "other"],
    middlewares: ["dedup", "deduplication"],
  });
});
