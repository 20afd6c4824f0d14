import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ThirdPartyApp } from "./third-party-app.ts";

const plugin = fileURLToPath(new URL("./fixtures/mqb-plugin-example", import.meta.url));

const CONFIG = `
routes:
  count:
    exit_on_empty: true
    input: { countdown: { from: 3 } }
    output:
      file: { path: out.jsonl, format: raw }
      middlewares: [{ shout: {} }]
`;

const countdownPlugin = (definition: string) => `
import { definePlugin } from "@mqb/core/plugin";
export default definePlugin(${definition});
`;

describe("a plugin of a third party, outside of the workspace", () => {
  let app: ThirdPartyApp;
  beforeAll(async () => {
    app = new ThirdPartyApp();
    await app.install(["@mqb/cli", "@mqb/testkit"], plugin);
    app.write("mqb.yaml", CONFIG);
  }, 240_000);
  afterAll(() => app[Symbol.dispose]());

  it("is found through the dependencies and listed with what it brings", async () => {
    const { code, output } = await app.mqb("plugins");
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining("mqb-plugin-example") });
    for (const name of ["shelf", "countdown", "shout"]) expect(output).toContain(name);
  });

  it("works in a route, beside the endpoints that come with mqb", async () => {
    expect(await app.mqb("run", "--config", "mqb.yaml")).toEqual({ code: 0, output: expect.any(String) });
    expect(app.read("out.jsonl")).toBe('{"COUNT":3}\n{"COUNT":2}\n{"COUNT":1}\n{"COUNT":0}\n');
  });

  it("brings its URI scheme", async () => {
    const copied = await app.mqb("copy", "countdown:1", "file:copied.jsonl?format=raw", "--drain");
    expect(copied).toEqual({ code: 0, output: expect.stringContaining("copied 2 rows") });
    expect(app.read("copied.jsonl")).toBe('{"count":1}\n{"count":0}\n');
  });

  it("passes the conformance suites under node:test", async () => {
    app.copy(`${plugin}/test`, "test");
    const { code, output } = await app.node("--test", "test/conformance.test.js");
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringMatching(/pass [1-9]\d+/) });
    expect(output).toMatch(/fail 0/);
  }, 180_000);

  it("has its options checked, with the place in the file", async () => {
    app.write("wrong.yaml", CONFIG.replace("from: 3", "form: 3"));
    const { code, output } = await app.mqb("run", "--config", "wrong.yaml");
    expect({ code, output }).toMatchObject({ code: 1 });
    expect(output).toContain("form");
    expect(output).toMatch(/wrong\.yaml:5:\d+/);
  });

  it("is refused when it was made for another version of the plugin API", async () => {
    const name = "mqb-plugin-future";
    app.addPackage(
      name,
      { mqb: { apiVersion: 99, endpoints: ["later"] } },
      {
        "index.js": countdownPlugin(`{ name: "${name}", apiVersion: 99, endpoints: {} }`),
      },
    );
    app.write("future.yaml", CONFIG.replace("countdown: { from: 3 }", "later: {}"));
    const { code, output } = await app.mqb("run", "--config", "future.yaml");
    app.removePackage(name);
    expect(code).toBe(1);
    expect(output).toMatch(/MQB_CORE_API_VERSION[\s\S]*mqb-plugin-future[\s\S]*99/);
  });

  it("is refused together with another that brings the same name", async () => {
    const name = "mqb-plugin-rival";
    app.addPackage(
      name,
      { mqb: { apiVersion: 1, endpoints: ["countdown"] } },
      {
        "index.js": countdownPlugin(`{ name: "${name}", apiVersion: 1, endpoints: {} }`),
      },
    );
    const { code, output } = await app.mqb("run", "--config", "mqb.yaml");
    app.removePackage(name);
    expect(code).toBe(1);
    expect(output).toMatch(/MQB_CORE_DUPLICATE_NAME/);
    for (const part of ["countdown", "mqb-plugin-example", name]) expect(output).toContain(part);
  });

  it("is named when the configuration asks for it and it is not installed", async () => {
    app.write("absent.yaml", `plugins: [mqb-plugin-absent]\n${CONFIG}`);
    const { code, output } = await app.mqb("run", "--config", "absent.yaml");
    expect(code).toBe(1);
    expect(output).toMatch(/MQB_CLI_PLUGIN_MISSING[\s\S]*mqb-plugin-absent/);
  });
});
