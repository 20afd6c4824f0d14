import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Names } from "@mqb/config/uri";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { discoverPlugins } from "../src/plugins/discover.ts";
import { loadRegistry } from "../src/plugins/load.ts";
import { entryOf } from "../src/plugins/package-folder.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "mqb-plugins-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
}

/** The source of a plugin; it imports nothing, so that it needs no installation. */
function source(name: string, parts: { endpoints?: string[]; apiVersion?: number } = {}): string {
  const endpoints = Object.fromEntries((parts.endpoints ?? []).map((one) => [one, { description: name, schema: {} }]));
  return `export default { [Symbol.for("mqb.plugin")]: true, name: ${JSON.stringify(name)}, apiVersion: ${parts.apiVersion ?? 1}, endpoints: ${JSON.stringify(endpoints)} };`;
}

function install(name: string, mqb: object | undefined, module: string, folder = ""): void {
  write(join(folder, "node_modules", name, "package.json"), {
    name,
    version: "1.2.3",
    type: "module",
    exports: { ".": { import: "./main.js" } },
    mqb,
  });
  write(join(folder, "node_modules", name, "main.js"), module);
}

function names(...endpoints: string[]): Names {
  return {
    endpoints: new Set(endpoints),
    middlewares: new Set(),
    schemes: new Set(),
    stores: new Set(),
    expressions: false,
  };
}

const discover = (listed: string[] = [], folder = root) =>
  discoverPlugins({ listed: listed.map((plugin) => ({ plugin, from: root })), folder });

describe("plugins are found", () => {
  it("among the dependencies of the nearest package.json that carry a manifest, without importing them", () => {
    install("mqb-plugin-a", { apiVersion: 1, endpoints: ["aaa"] }, "throw new Error('imported')");
    install("not-a-plugin", undefined, "throw new Error('imported')");
    install("mqb-plugin-unlisted", { apiVersion: 1, endpoints: ["bbb"] }, "");
    write("package.json", { dependencies: { "mqb-plugin-a": "1", "not-a-plugin": "1", "mqb-plugin-gone": "1" } });
    mkdirSync(join(root, "conf/deep"), { recursive: true });
    const found = discover([], join(root, "conf/deep")).filter((plugin) => plugin.origin !== "bundled");
    expect(found).toMatchObject([
      { name: "mqb-plugin-a", version: "1.2.3", origin: "project", manifest: { endpoints: ["aaa"] } },
    ]);
  });

  it("in what mqb was installed with, last", () => {
    const bundled = discover().filter((plugin) => plugin.origin === "bundled");
    expect(bundled.map((plugin) => plugin.name).sort()).toEqual([
      "@mqb/aggregate",
      "@mqb/compression",
      "@mqb/dedup",
      "@mqb/encryption",
      "@mqb/expression",
      "@mqb/file",
      "@mqb/lookup",
      "@mqb/standard",
      "@mqb/transform",
    ]);
  });

  it("where the user says: a package, a folder, a file", () => {
    install("mqb-plugin-a", { apiVersion: 1 }, "");
    write("local/package.json", { name: "local", mqb: { apiVersion: 1, endpoints: ["here"] } });
    write("lone.mjs", "");
    const found = discover(["mqb-plugin-a", "./local", "./lone.mjs"]);
    expect(found.slice(0, 3).map((plugin) => [plugin.name, plugin.origin])).toEqual([
      ["mqb-plugin-a", "listed"],
      ["local", "listed"],
      ["./lone.mjs", "listed"],
    ]);
  });

  it("or are reported missing, with the place where they were looked for", () => {
    expect(() => discover(["mqb-plugin-gone"])).toThrow(
      expect.objectContaining({ code: "MQB_CLI_PLUGIN_MISSING", hint: "install mqb-plugin-gone" }),
    );
    expect(() => discover(["./gone.mjs"])).toThrow(
      expect.objectContaining({ message: expect.stringContaining(root), hint: "check the path" }),
    );
  });

  it("never in a native library", () => {
    expect(() => discover(["./libmq_bridge_x.so"])).toThrow(expect.objectContaining({ code: "MQB_CLI_PLUGIN_NATIVE" }));
  });

  it("resolves the entry by exports, else main, else index.js", () => {
    const entry = (json: object) => entryOf({ folder: "/p", json: json as never });
    expect(entry({ exports: "./a.js" })).toBe("/p/a.js");
    expect(entry({ exports: { ".": { types: "./t.d.ts", require: "./r.cjs", import: { default: "./i.js" } } } })).toBe(
      "/p/i.js",
    );
    expect(entry({ exports: { default: ["./d.js"] } })).toBe("/p/d.js");
    expect([entry({ main: "m.js" }), entry({})]).toEqual(["/p/m.js", "/p/index.js"]);
  });
});

describe("only what a configuration names is imported", () => {
  it("and the rest is known for suggestions", async () => {
    install("mqb-plugin-a", { apiVersion: 1, endpoints: ["aaa"] }, source("mqb-plugin-a", { endpoints: ["aaa"] }));
    install("mqb-plugin-b", { apiVersion: 1, endpoints: ["bbb"] }, "throw new Error('imported')");
    write("package.json", { dependencies: { "mqb-plugin-a": "1" }, optionalDependencies: { "mqb-plugin-b": "1" } });
    const registry = await loadRegistry(discover(), names("aaa", "title"));
    expect(registry.plugins.map((plugin) => plugin.name)).toEqual(["mqb-plugin-a"]);
    expect(registry.names("endpoint")).toEqual(expect.arrayContaining(["aaa", "bbb"]));
    expect(registry.packageFor("endpoint", "kafka")).toBe("@mqb/kafka");
  });

  it("besides what the user listed", async () => {
    write("lone.mjs", source("lone", { endpoints: ["mine"] }));
    expect((await loadRegistry(discover(["./lone.mjs"]), names())).endpoint("mine")).toMatchObject({ plugin: "lone" });
  });
});

describe("a plugin that cannot be used", () => {
  const loading = async (endpoint = "aaa", listed: string[] = []) => {
    write("package.json", { dependencies: { "mqb-plugin-a": "1", "mqb-plugin-b": "1" } });
    try {
      await loadRegistry(discover(listed), names(endpoint));
    } catch (error) {
      return error as { code: string; message: string; cause?: Error };
    }
    throw new Error("nothing was refused");
  };

  it("imports all that bring the same endpoint, where each says that others may", async () => {
    const shared = { apiVersion: 1, endpoints: ["sql"], shared: ["sql"] };
    const module = (name: string) =>
      source(name, { endpoints: ["sql"] }).replace('"description"', '"shared":true,"description"');
    for (const name of ["mqb-plugin-a", "mqb-plugin-b"]) install(name, shared, module(name));
    write("package.json", { dependencies: { "mqb-plugin-a": "1", "mqb-plugin-b": "1" } });
    const registry = await loadRegistry(discover(), names("sql"));
    expect(registry.plugins.map(({ name }) => name)).toEqual(["mqb-plugin-a", "mqb-plugin-b"]);
    expect(registry.endpoint("sql")?.plugin).toBe("mqb-plugin-a");
  });

  it("names both packages that claim a name which is used", async () => {
    install("mqb-plugin-a", { apiVersion: 1, endpoints: ["aaa"] }, "");
    install("mqb-plugin-b", { apiVersion: 1, endpoints: ["aaa"] }, "");
    const error = await loading();
    expect(error.code).toBe("MQB_CORE_DUPLICATE_NAME");
    expect(error.message).toMatch(/"aaa".*mqb-plugin-a and mqb-plugin-b/);
  });

  it("gives way to one that the user listed", async () => {
    install(
      "mqb-plugin-a",
      { apiVersion: 1, endpoints: ["aaa", "more"] },
      source("mqb-plugin-a", { endpoints: ["aaa", "more"] }),
    );
    write("package.json", { dependencies: { "mqb-plugin-a": "1" } });
    write("lone.mjs", source("lone", { endpoints: ["aaa"] }));
    const registry = await loadRegistry(discover(["./lone.mjs"]), names("aaa", "more"));
    expect([registry.endpoint("aaa")!.plugin, registry.endpoint("more")!.plugin]).toEqual(["lone", "mqb-plugin-a"]);
  });

  it("says which API version it is made for, by its manifest", async () => {
    install("mqb-plugin-a", { apiVersion: 99, endpoints: ["aaa"] }, "throw new Error('imported')");
    expect(await loading()).toMatchObject({
      code: "MQB_CORE_API_VERSION",
      message: expect.stringMatching(/mqb-plugin-a is made for plugin API version 99/),
    });
  });

  it("is no obstacle while nobody names what it brings", async () => {
    install("mqb-plugin-a", { apiVersion: 99, endpoints: ["aaa"] }, "throw new Error('imported')");
    write("package.json", { dependencies: { "mqb-plugin-a": "1" } });
    await expect(loadRegistry(discover(), names("other"))).resolves.toBeDefined();
  });

  it("is reported as one that failed to load, with the cause, not as an unknown endpoint", async () => {
    install("mqb-plugin-a", { apiVersion: 1, endpoints: ["aaa"] }, "throw new Error('its own fault')");
    const error = await loading();
    expect(error).toMatchObject({ code: "MQB_CLI_PLUGIN_LOAD", message: expect.stringContaining("mqb-plugin-a") });
    expect(error.cause!.message).toBe("its own fault");
  });

  it("is reported when it is no plugin, or brings less than its manifest says", async () => {
    install("mqb-plugin-a", { apiVersion: 1, endpoints: ["aaa"] }, "export default { name: 'x' }");
    expect(await loading()).toMatchObject({
      code: "MQB_CORE_NOT_A_PLUGIN",
      message: expect.stringContaining("mqb-plugin-a"),
    });
    install("mqb-plugin-b", { apiVersion: 1, endpoints: ["bbb"] }, source("mqb-plugin-b"));
    expect(await loading("bbb")).toMatchObject({
      code: "MQB_CLI_PLUGIN_MANIFEST",
      message: expect.stringMatching(/mqb-plugin-b.*endpoint "bbb"/),
    });
  });
});
