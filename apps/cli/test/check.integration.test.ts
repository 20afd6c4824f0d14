import { readdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "./support/cli.ts";
import { folderPerTest, ROUTE } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

describe("mqb check", () => {
  it("says that nothing is wrong, opens nothing, and ends with 0", async () => {
    folder.write("config.yml", ROUTE);
    expect(await folder.mqb(["check"])).toEqual({
      code: 0,
      stdout: "config.yml: nothing is wrong; 1 route\n",
      stderr: "",
    });
    expect(readdirSync(folder.path)).toEqual(["config.yml"]);
  });

  it("lists every fault in the order of the document, with its line and a caret", async () => {
    folder.write(
      "bad.yml",
      `routes:
  a:
    input: { file: { pth: x } }
    output: null
  b:
    bath_size: 3
    input: { file: { path: x } }
  off:
    enabled: false
    input: { nowhere: {} }
`,
    );
    const { code, stdout } = await folder.mqb(["check", "-c", "bad.yml"]);
    expect(code).toBe(1);
    expect(stdout.match(/bad\.yml:\d+/g)!.map((one) => Number(one.split(":")[1]))).toEqual(
      [...stdout.matchAll(/bad\.yml:(\d+)/g)].map((one) => Number(one[1])).sort((a, b) => a - b),
    );
    expect(stdout).toMatch(/error\[MQB_CONFIG_UNKNOWN_FIELD\] bad\.yml:3:\d+ routes\.a\.input\.file\.pth: .*"path"/);
    expect(stdout).toMatch(/3 \| {5}input: \{ file: \{ pth: .* \} \}\n +\| +\^\^\^\n/);
    expect(stdout).toMatch(/bad\.yml:6:5 routes\.b\.bath_size: .*did you mean "batch_size"\?/);
    expect(stdout).toMatch(/\nbad\.yml: \d errors; 3 routes, 1 of them not enabled\n$/);
  });

  it("ends with 3 when only plugins are missing, and says what to type", async () => {
    folder.write("package-lock.json", "{}");
    folder.write("config.yml", ROUTE.replace("file: { path: out.jsonl }", "kafka: { topic: x, url: h }"));
    const missing = await folder.mqb(["check"]);
    expect(missing.code).toBe(3);
    expect(missing.stdout).toContain("install @mqb/kafka: `npm i @mqb/kafka`");
    folder.write("pnpm-lock.yaml", "");
    expect((await folder.mqb(["check"])).stdout).toContain("`pnpm add @mqb/kafka`");
    folder.write("config.yml", `${ROUTE}plugins: [mqb-plugin-absent]\n`);
    const listed = await folder.mqb(["check"]);
    expect(listed.code).toBe(3);
    expect(listed.stdout).toMatch(
      /MQB_CLI_PLUGIN_MISSING\] config\.yml:5:\d+ plugins\[0\]: .*`pnpm add mqb-plugin-absent`/,
    );
  });

  it("ends with 1 when something else is wrong too, also a name that nobody brings", async () => {
    folder.write("config.yml", `${ROUTE.replace("in.jsonl }", "in.jsonl, x: 1 }")}plugins: [mqb-plugin-absent]\n`);
    expect((await folder.mqb(["check"])).code).toBe(1);
    folder.write("config.yml", ROUTE.replace("file: { path: out.jsonl }", "kafkaa: { topic: x }"));
    expect((await folder.mqb(["check"])).code).toBe(1);
  });

  it("ends with 5 for warnings, but only with --strict", async () => {
    folder.write("config.yml", ROUTE.replace("path: in.jsonl", "path: in.jsonl, group_id: g"));
    const lenient = await folder.mqb(["check"]);
    expect([lenient.code, lenient.stdout]).toEqual([0, expect.stringContaining("warning[MQB_FILE_MODE_MISSING]")]);
    expect((await folder.mqb(["check", "--strict"])).code).toBe(5);
  });

  it.each(["", "# nothing yet\n", "log_level: info\n", "routes: {}\n"])(
    "warns that there is nothing to run: %j",
    async (text) => {
      folder.write("config.yml", text);
      const { code, stdout } = await folder.mqb(["check"]);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^warning\[MQB_CONFIG_EMPTY\] .*nothing to run/)]);
      expect((await folder.mqb(["check", "--strict"])).code).toBe(5);
    },
  );

  it.each([
    ["rotues: { a: { input: { file: { path: a } } } }\n", /rotues.*did you mean "routes"\?/],
    [`log_level: loud\n${ROUTE}`, /log_level.*not "loud"/],
    [`metrics_addr: here\n${ROUTE}`, /metrics_addr.*takes host:port, not "here"/],
    [`metrics_addr: "127.0.0.1:70000"\n${ROUTE}`, /metrics_addr.*not "127\.0\.0\.1:70000"/],
    [`logger: xml\n${ROUTE}`, /logger.*not "xml"/],
  ])("refuses what a run refuses, with the same words and the same place: %j", async (text, words) => {
    folder.write("config.yml", text);
    const checked = await folder.mqb(["check", "--color", "never"]);
    const ran = await folder.mqb(["run", "--no-metrics"]);
    expect([checked.code, ran.code]).toEqual([1, 1]);
    const told = /config\.yml:1:1 .*$/m.exec(checked.stdout)![0];
    expect(told).toMatch(words);
    expect(ran.stderr).toContain(told);
  });

  it("prints one JSON document with --json", async () => {
    folder.write("config.yml", `${ROUTE}  b: { input: { file: { path: in, pth: 1 } } }\n`);
    const { code, stdout, stderr } = await folder.mqb(["check", "--json"]);
    expect([code, stderr]).toEqual([1, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      source: "config.yml",
      ok: false,
      exit_code: 1,
      errors: 1,
      warnings: 0,
      routes: [
        { name: "orders", enabled: true, ok: true, guarantee: "at_least_once" },
        { name: "b", enabled: true, ok: false },
      ],
      problems: [
        {
          level: "error",
          code: "MQB_CONFIG_UNKNOWN_FIELD",
          path: "routes.b.input.file.pth",
          source: "config.yml",
          line: 5,
          hint: 'did you mean "path"?',
        },
      ],
    });
  });

  it("answers in JSON also when the file is not there", async () => {
    const { code, stdout, stderr } = await folder.mqb(["check", "-c", "no.yml", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({ code: "MQB_CONFIG_CANNOT_READ" });
    expect(stderr).toContain("no.yml");
  });

  it("shows no secret, neither in a message nor in a line that it quotes", async () => {
    folder.write(
      "config.yml",
      ROUTE.replace(
        "file: { path: out.jsonl }",
        'file: { path: out.jsonl, encryption: { key: "geheim-4711" }, pth: "db://u:geheim-0815@h" }',
      ),
    );
    for (const args of [["check"], ["check", "--json"]]) {
      const { code, stdout, stderr } = await folder.mqb(args);
      expect(code).toBe(1);
      expect(stdout + stderr).not.toContain("geheim");
    }
  });
});
