import { describe, expect, it } from "vitest";
import { readManifest } from "../../src/plugin/manifest.ts";

describe("the manifest of a package", () => {
  it("says what the plugin brings", () => {
    const mqb = {
      apiVersion: 1,
      endpoints: ["kafka"],
      schemes: ["kafka"],
      expressions: true,
      schema: "./dist/schema.json",
    };
    expect(readManifest({ name: "@mqb/kafka", mqb }, "@mqb/kafka")).toEqual({
      ...mqb,
      middlewares: [],
      shared: [],
      stores: [],
    });
  });

  it("is absent when the package is no plugin", () => {
    expect(readManifest({ name: "left-pad" }, "left-pad")).toBeUndefined();
    expect(readManifest(undefined, "x")).toBeUndefined();
    expect(readManifest([], "x")).toBeUndefined();
  });

  it.each([
    [[], "it must be an object"],
    [{ apiVersion: 1, endpoints: "kafka" }, '"endpoints" must be a list of names'],
    [{ apiVersion: 1, stores: [1] }, '"stores" must be a list of names'],
    [{ apiVersion: 1, schema: true }, '"schema" must be a path'],
  ])("%j is refused", (mqb, reason) => {
    expect(() => readManifest({ mqb }, "p")).toThrow(
      expect.objectContaining({
        code: "MQB_CORE_BAD_MANIFEST",
        kind: "config",
        message: `the "mqb" field in the package.json of p is not usable: ${reason}`,
      }),
    );
  });

  it.each([[{}], [{ apiVersion: 2 }], [{ apiVersion: "1" }]])(
    "%j has an API version that core does not take",
    (mqb) => {
      expect(() => readManifest({ mqb }, "p")).toThrow(expect.objectContaining({ code: "MQB_CORE_API_VERSION" }));
    },
  );
});
