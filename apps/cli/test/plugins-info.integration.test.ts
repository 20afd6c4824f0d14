import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

const PATIENT = fileURLToPath(new URL("fixtures/patient.mjs", import.meta.url));

describe("mqb plugins", () => {
  it("lists the same with and without the word list", async () => {
    const bare = await folder.mqb(["plugins"]);
    expect(bare.code).toBe(0);
    expect(bare.stdout).toMatch(/@mqb\/file .*comes with mqb/);
    expect((await folder.mqb(["plugins", "list"])).stdout).toBe(bare.stdout);
  });
});

describe("mqb plugins info", () => {
  it("shows the fields of an endpoint with type, default and description", async () => {
    const { code, stdout } = await folder.mqb(["plugins", "info", "file"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^endpoint file {2}\(input and output\)$/m);
    expect(stdout).toMatch(/^ {4}path {2}text, required\n {8}The file/m);
    expect(stdout).toMatch(/^ {4}max_message_bytes {2}integer, 1 to 1073741824, default 67108864$/m);
    expect(stdout).toMatch(/^scheme file: {2}makes the endpoint file$/m);
  });

  it("finds a middleware and a store by name, and a whole plugin by its package", async () => {
    const retry = await folder.mqb(["plugins", "info", "retry"]);
    expect(retry.stdout).toMatch(/^middleware retry {2}\(output\)$/m);
    expect(retry.stdout).not.toContain("dlq");
    const memory = await folder.mqb(["plugins", "info", "memory"]);
    expect(memory.stdout).toMatch(/^store memory:.*gone when the process ends$/m);
    const all = await folder.mqb(["plugins", "info", "@mqb/standard"]);
    for (const part of ["endpoint null", "middleware dlq", "store file", "scheme static"])
      expect(all.stdout).toContain(part);
  });

  it("says which fields are secret, also of a plugin without a schema file, and with --json", async () => {
    const text = await folder.mqb(["plugins", "info", "patient", "--plugin", PATIENT]);
    expect(text.stdout).toMatch(/^ {4}password {2}text\n {8}Secret: shown nowhere\.$/m);
    const { stdout } = await folder.mqb(["plugins", "info", "patient", "--plugin", PATIENT, "--json"]);
    const [plugin] = JSON.parse(stdout);
    expect(Object.keys(plugin.endpoints)).toEqual(["patient"]);
    expect(
      plugin.endpoints.patient.fields.map((one: { path: string; secret: boolean }) => [one.path, one.secret]),
    ).toEqual([
      ["say", false],
      ["topic", false],
      ["password", true],
      ["checkpoints", false],
    ]);
  });

  it("reads the schema of an installed plugin without importing it", async () => {
    folder.write("package.json", JSON.stringify({ dependencies: { "mqb-plugin-broken": "1" } }));
    const mqb = { apiVersion: 1, endpoints: ["broken", "brk"], schema: "./schema.json" };
    folder.write("node_modules/mqb-plugin-broken/package.json", JSON.stringify({ name: "mqb-plugin-broken", mqb }));
    folder.write("node_modules/mqb-plugin-broken/index.js", 'throw new Error("it was imported");');
    const part = { description: "Is broken", aliases: ["brk"], input: true, output: false };
    const schema = { type: "object", properties: { rules: { type: "array", items: { $ref: "#/$defs/rule" } } } };
    const $defs = { rule: { type: "object", properties: { when: { type: "string" } }, required: ["when"] } };
    folder.write(
      "node_modules/mqb-plugin-broken/schema.json",
      JSON.stringify({ endpoints: { broken: { ...part, schema: { ...schema, $defs } } } }),
    );
    const { code, stdout } = await folder.mqb(["plugins", "info", "brk"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/endpoint broken {2}\(input; also spelled brk\)/);
    expect(stdout).toMatch(/ {4}rules {2}list of map\n {4}rules\[\]\.when {2}text, required\n/);
    folder.write("node_modules/mqb-plugin-broken/schema.json", "{");
    expect((await folder.mqb(["plugins", "info", "broken"])).stderr).toMatch(
      /MQB_CLI_PLUGIN_SCHEMA.*mqb-plugin-broken/,
    );
  });

  it("says what to install for what is known, and the nearest name for what is not", async () => {
    folder.write("yarn.lock", "");
    const kafka = await folder.mqb(["plugins", "info", "kafka"]);
    expect([kafka.code, kafka.stderr]).toEqual([1, expect.stringContaining("`yarn add @mqb/kafka`")]);
    expect((await folder.mqb(["plugins", "info", "retyr"])).stderr).toContain('did you mean "retry"?');
    expect((await folder.mqb(["plugins", "info"])).code).toBe(2);
  });

  it("names nothing that is not installed where no name is near", async () => {
    const { stderr } = await folder.mqb(["plugins", "info", "zzzzzzzz"]);
    expect(stderr).toMatch(/known: .*\bfile\b.*\bretry\b/);
    expect(stderr).not.toMatch(/kafka|postgres|clickhouse/);
    expect((await folder.mqb(["plugins", "info", "kafak"])).stderr).toMatch(
      /did you mean "kafka"\? install @mqb\/kafka: `npm i @mqb\/kafka`/,
    );
  });

  it.each(["route", "batch_size", "middlewares"])("says that %s is no plugin's", async (name) => {
    const { code, stderr } = await folder.mqb(["plugins", "info", name]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/belongs to mqb itself: `mqb schema`/)]);
  });
});
