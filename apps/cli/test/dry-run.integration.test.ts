import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

const route = (input: string, output: string): string =>
  `routes:\n  orders:\n    input: ${input}\n    output: ${output}\n`;

describe("a dry run", () => {
  it("shows each message before and after, and why others are gone", async () => {
    folder.write("in.jsonl", '{"n":1}\n{"n":2}\n');
    folder.write(
      "config.yml",
      route(
        "{ file: { path: in.jsonl, format: raw }, middlewares: [{ filter: n > 1 }] }",
        "{ file: { path: out.jsonl } }",
      ),
    );
    const { code, stdout } = await folder.mqb(["run", "--dry-run", "--json"]);
    expect(code).toBe(0);
    const [report] = JSON.parse(stdout);
    expect(report).toMatchObject({
      route: "orders",
      messages: [
        { fate: "filtered", before: { payload: '{"n":1}' }, after: [] },
        { fate: "delivered", before: { payload: '{"n":2}' }, after: [{ sink: "output", type: "file" }] },
      ],
    });
  });

  it("moves nothing: no sink, no position, no deletion, no dead letter", async () => {
    folder.write("in.jsonl", "a\nb\nc\n");
    const dlq = "dlq: { endpoint: { file: { path: dead.jsonl } } }";
    folder.write(
      "config.yml",
      `routes:
  group:
    input: { file: { path: in.jsonl, format: raw, mode: group_subscribe, group_id: g } }
    output: { file: { path: out.jsonl }, middlewares: [{ ${dlq} }] }
  cut:
    input: { file: { path: in.jsonl, format: raw, delete: true } }
    output: { file: { path: out.jsonl } }
`,
    );
    const { code, stdout } = await folder.mqb(["run", "--dry-run", "--limit", "2"]);
    expect(code).toBe(0);
    expect(stdout.match(/2 messages looked at, nothing moved/g)).toHaveLength(2);
    expect(readFileSync(join(folder.path, "in.jsonl"), "utf8")).toBe("a\nb\nc\n");
    expect(readdirSync(folder.path).sort()).toEqual(["config.yml", "in.jsonl"]);
  });

  it("keeps passwords out of what it shows", async () => {
    folder.write("in.jsonl", '{"url":"amqp://user:hunter2@host"}\n');
    folder.write("config.yml", route("{ file: { path: in.jsonl, format: raw } }", "{ file: { path: out.jsonl } }"));
    const { stdout } = await folder.mqb(["run", "--dry-run"]);
    expect(stdout).toContain("amqp://user:***@host");
    expect(stdout).not.toContain("hunter2");
  });

  it("says why a route cannot be tried", async () => {
    folder.write("config.yml", route("{ file: { path: missing.jsonl } }", "{ file: { path: out.jsonl } }"));
    const { code, stdout } = await folder.mqb(["run", "--dry-run"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/the route ended: .*missing\.jsonl/);
    expect(existsSync(join(folder.path, "out.jsonl"))).toBe(false);
  });

  it("does not take --limit without it", async () => {
    folder.write("config.yml", route("{ file: { path: a } }", "{ file: { path: b } }"));
    const { code, stderr } = await folder.mqb(["run", "--limit", "3"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--limit belongs to --dry-run");
  });
});
