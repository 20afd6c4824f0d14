import { describe, expect, it } from "vitest";
import { checkConfiguration, listValues, loadConfiguration, originOf } from "../src/index.ts";
import { fakeRegistry } from "./fake-plugin.ts";
import { DEFAULTS } from "./support-load.ts";

function show(texts: readonly string[], environment: Record<string, string> = {}) {
  const sources = texts.map((text, index) => ({
    name: index === 0 ? "c.yml" : "--config-str",
    text,
    format: "yaml" as const,
  }));
  const configuration = loadConfiguration(sources, environment);
  const checked = checkConfiguration(configuration, fakeRegistry(), DEFAULTS);
  const values = listValues(configuration, checked);
  const at = (path: string) => values.find((one) => one.path.join(".") === path);
  return { configuration, values, at };
}

describe("the values of a configuration", () => {
  it("come with where each was written, the one that counts", () => {
    const { at } = show(
      [
        "routes:\n  r:\n    input: {file: {path: $IN, batch: 1}}\n    output: {file: {path: out}}\n    batch_size: 3",
        "routes: {r: {input: {file: {batch: 2}}}}",
      ],
      { IN: "in", MQB__ROUTES__R__BATCH_SIZE: "5" },
    );
    expect(at("routes.r.input.file.path")).toMatchObject({ value: "in", origin: "c.yml:3:26, from IN" });
    expect(at("routes.r.input.file.batch")).toMatchObject({ value: 2, origin: "--config-str:1:36" });
    expect(at("routes.r.batch_size")).toMatchObject({ value: 5, origin: "MQB__ROUTES__R__BATCH_SIZE" });
    expect(at("routes.r.concurrency")).toMatchObject({ value: 4, origin: "default" });
    expect(at("routes.r.startup_timeout_ms")).toMatchObject({ value: 5000, origin: "default" });
    expect(at("log_level")).toMatchObject({ value: "info", origin: "default" });
  });

  it("are shown also of a route that is wrong or switched off, and of consumers and publishers", () => {
    const { at } = show([
      `routes: {r: {input: {nosuch: {a: [1, {}]}}}, off: {enabled: false, input: {file: {path: p}}}}
consumers: [{name: c, endpoint: {file: {path: q}}}]
publishers: [{name: p, endpoint: {db: {url: "db://u:pw12@h"}}}]`,
    ]);
    expect(at("routes.r.input.nosuch.a.0")!.value).toBe(1);
    expect(at("routes.r.input.nosuch.a.1")!.value).toEqual({});
    expect(at("routes.off.enabled")!.value).toBe(false);
    expect(at("consumers.0.endpoint.file.path")!.value).toBe("q");
    expect(at("publishers.0.endpoint.db.url")!.value).toBe("db://u:***@h");
  });

  it("never hold a secret", () => {
    const { at } = show(
      [
        `env_vars: {K: hunter22, TOPIC: t}
routes:
  r:
    input: {file: {path: $TOPIC, sealing: {key: $K, keys: {a: hunter33}}}}
    output: {custom: {name: gone, config: {password: hunter44, key: hunter55}}}`,
      ],
      {},
    );
    expect(at("env_vars.K")!.value).toBe("***");
    expect(at("env_vars.TOPIC")!.value).toBe("t");
    expect(at("routes.r.input.file.sealing.key")).toMatchObject({
      value: "***",
      secret: true,
      origin: "c.yml:4:49, from K",
    });
    expect(at("routes.r.input.file.sealing.keys.a")!.value).toBe("***");
    expect(at("routes.r.output.custom.config.password")!.value).toBe("***");
    expect(at("routes.r.output.custom.config.key")!.value).toBe("***");
  });

  it("are not shown of a field that its endpoint does not know", () => {
    const { at } = show([
      "r: {input: {file: {path: orders, paht: orders, n: {m: [hunter22]}}}, output: {file: {path: orders}}}",
    ]);
    expect(at("r.input.file.paht")!.value).toBe("***");
    expect(at("r.input.file.n.m.0")!.value).toBe("***");
    expect(at("r.output.file.path")!.value).toBe("orders");
  });

  it("are shown of a route that is called like a secret", () => {
    const { at } = show([
      "routes: {tokens: {input: {file: {path: p, pasword: hunter22}}}}\nkey: {input: {file: {path: q}}}",
    ]);
    expect(at("routes.tokens.input.file.path")!.value).toBe("p");
    expect(at("routes.tokens.input.file.pasword")!.value).toBe("***");
    expect(at("key.input.file.path")!.value).toBe("q");
  });

  it("have an origin each, default for what is not written", () => {
    const { configuration } = show(["a: {input: {file: {path: p}}}"]);
    expect(originOf(configuration, ["a", "input", "file", "path"])).toBe("c.yml:1:26");
    expect(originOf(configuration, ["a", "input", "file", "format"])).toBe("default");
  });
});
