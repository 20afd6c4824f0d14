import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "./support/cli.ts";
import { folderPerTest, ROUTE } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

const PATIENT = fileURLToPath(new URL("fixtures/patient.mjs", import.meta.url));
const route = (input: string): string => `routes:\n  r: { input: { patient: ${input} } }\n`;
const looked = async (input: string, ...args: string[]) => {
  folder.write("config.yml", route(input));
  return await folder.mqb(["doctor", "--plugin", PATIENT, ...args]);
};

describe("mqb doctor", () => {
  it("ends with 0 when nothing is missing, and leaves everything as it was", async () => {
    folder.write("config.yml", ROUTE);
    folder.write("in.jsonl", "{}\n");
    const { code, stdout } = await folder.mqb(["doctor"]);
    expect(stdout).toMatch(/^ {2}ok {5}input\.file exists: in\.jsonl has 3 bytes$/m);
    expect(stdout).toMatch(/^ {2}ok {5}output\.file writable: /m);
    expect(stdout).toMatch(/\n1 route looked at; nothing is missing\n$/);
    expect(code).toBe(0);
    expect(readdirSync(folder.path).sort()).toEqual(["config.yml", "in.jsonl"]);
    expect(readFileSync(`${folder.path}/in.jsonl`, "utf8")).toBe("{}\n");
  });

  it("ends with 4 when something is missing, and says what to do", async () => {
    folder.write("config.yml", ROUTE);
    const { code, stdout } = await folder.mqb(["doctor"]);
    expect(code).toBe(4);
    expect(stdout).toMatch(/FAILED input\.file exists: there is no file in\.jsonl\n +check the path/);
    expect(stdout).toContain("1 thing missing");
  });

  it("finds a route that reads what it writes, which only the system can tell", async () => {
    const to = async (topic: string) => {
      const end = (name: string): string => `{ patient: { say: topic, topic: ${name} } }`;
      folder.write("config.yml", `routes:\n  r:\n    input: ${end("a")}\n    output: ${end(topic)}\n`);
      return await folder.mqb(["doctor", "--plugin", PATIENT]);
    };
    const loop = await to("a");
    expect([loop.code, loop.stdout]).toEqual([
      4,
      expect.stringMatching(/FAILED output\.patient loop: it is what input\.patient reads/),
    ]);
    expect((await to("b")).code).toBe(0);
  });

  it("looks at nested endpoints too, and at the routes that are named only", async () => {
    folder.write(
      "config.yml",
      `routes:
  a:
    input: { file: { path: in.jsonl } }
    output: { file: { path: out.jsonl }, middlewares: [{ dlq: { endpoint: { file: { path: in.jsonl/no } } } }] }
  b: { input: { file: { path: absent } } }
`,
    );
    folder.write("in.jsonl", "{}\n");
    const { code, stdout } = await folder.mqb(["doctor", "a"]);
    expect(stdout).toContain("output.middlewares[0].dlq.endpoint.file exists");
    expect(stdout).not.toContain("absent");
    expect(code).toBe(0);
  });

  it("ends with 1 when the configuration is wrong, and with 3 when only a plugin is missing", async () => {
    folder.write("in.jsonl", "{}\n");
    folder.write("config.yml", ROUTE.replace("out.jsonl }", "out.jsonl, x: 1 }"));
    expect((await folder.mqb(["doctor"])).code).toBe(1);
    folder.write("config.yml", ROUTE.replace("file: { path: out.jsonl }", "kafka: { topic: x, url: h }"));
    expect((await folder.mqb(["doctor"])).code).toBe(3);
  });

  it("prints one JSON document with --json", async () => {
    const { code, stdout } = await looked("{ say: denied, password: geheim-99 }", "--json");
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      exit_code: 4,
      routes: [
        {
          name: "r",
          problems: [],
          places: [
            {
              path: "input.patient",
              name: "patient",
              how: "probed",
              findings: [
                { check: "credentials", ok: false, detail: "the server refused *** as a password", hint: "ask" },
              ],
            },
            {
              path: "output",
              name: "null",
              how: "probed",
              findings: [expect.objectContaining({ check: "reachable", ok: true })],
            },
          ],
        },
      ],
    });
  });

  it("reports a probe that throws, and one that does not answer in time, as not reachable", async () => {
    expect((await looked("{ say: throw }")).stdout).toMatch(/FAILED input\.patient reachable: the line is dead/);
    const silent = await looked("{ say: nothing }", "--timeout", "1");
    expect([silent.code, silent.stdout]).toEqual([4, expect.stringContaining("there was no answer within 1000 ms")]);
  });

  it("compares a server's clock with the own one", async () => {
    const ahead = await looked("{ say: later }");
    expect(ahead.stdout).toMatch(/FAILED input\.patient clock: the server's clock is \d+\.\d s ahead/);
    expect((await looked("{ say: now }")).stdout).toMatch(
      /ok {5}input\.patient clock: the clocks are at most 0\.0 s apart/,
    );
  });

  it("opens a source without a probe where that is harmless, and says so where it is not", async () => {
    folder.write("config.yml", `routes:\n  r: { input: { harmless: {} } }\n  s: { input: { touchy: {} } }\n`);
    const { code, stdout } = await folder.mqb(["doctor", "--plugin", PATIENT]);
    expect(stdout).toMatch(/ok {5}input\.harmless reachable: it could be opened/);
    expect(stdout).toMatch(/\? {5}input\.touchy: not probed/);
    expect(stdout).not.toContain("received");
    expect(code).toBe(0);
  });

  it("looks at the state stores that fields marked as such name", async () => {
    const good = await looked('{ say: now, checkpoints: "file:state/s.json" }');
    expect(good.stdout).toMatch(/ok {5}input\.patient\.checkpoints exists: .*s\.json is made by the first write/);
    expect(good.code).toBe(0);
    folder.write("s.json", "no json");
    expect((await looked('{ say: now, checkpoints: "file:s.json" }')).stdout).toMatch(
      /FAILED input\.patient\.checkpoints exists/,
    );
    const none = await looked('{ say: now, checkpoints: "redis://h" }');
    expect([none.code, none.stdout]).toEqual([4, expect.stringContaining("install @mqb/redis")]);
    expect(readdirSync(folder.path).sort()).toEqual(["config.yml", "s.json"]);
  });
});
