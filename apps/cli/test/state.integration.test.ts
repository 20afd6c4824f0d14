import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, startCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();
const KEYS = "state/keys-0000000001.log";
const at = (name: string): string => join(folder.path, name);

const CONFIG = `routes:
  orders:
    exit_on_empty: true
    batch_size: 1
    input:
      middlewares: [{ deduplication: { store: "file:state", ttl_seconds: 3600, key: "\${message:payload}" } }]
      file: { path: in.txt, format: raw }
    output: { file: { path: out.txt, format: raw } }
`;

async function stored(): Promise<void> {
  folder.write("config.yml", CONFIG);
  folder.write("in.txt", "a\nb\nc\na\n");
  const { code, stderr } = await folder.mqb(["run", "--no-metrics"]);
  expect([code, readFileSync(at("out.txt"), "utf8")], stderr).toEqual([0, "a\nb\nc\n"]);
}

function spoil(): void {
  const bytes = readFileSync(at(KEYS));
  bytes[64 + 40 + 20]! ^= 1;
  writeFileSync(at(KEYS), bytes);
}

describe("mqb state", () => {
  it("checks the state of a configuration, however it is named, and that of a folder", async () => {
    await stored();
    for (const args of [[], ["-c", "config.yml"], ["config.yml"], ["state"], ["state", "config.yml"]]) {
      const { code, stdout } = await folder.mqb(["state", "check", ...args]);
      expect([code, stdout]).toEqual([0, `${at("state")}: sound\n  3 keys in 1 file, 0 more expired\n`]);
    }
    const { stdout } = await folder.mqb(["state", "check", "--json"]);
    expect(JSON.parse(stdout)).toEqual([
      { path: at("state"), kind: "keys", state: "sound", details: ["3 keys in 1 file, 0 more expired"] },
    ]);
  });

  it("finds damage, repairs it and keeps what was there", async () => {
    await stored();
    spoil();
    const before = readFileSync(at(KEYS));
    const found = await folder.mqb(["state", "check"]);
    expect([found.code, found.stdout]).toEqual([
      1,
      expect.stringContaining("keys-0000000001.log: damaged from byte 104 to 144"),
    ]);
    const repair = await folder.mqb(["state", "repair", "--json"]);
    expect(repair.code).toBe(0);
    expect(JSON.parse(repair.stdout)).toEqual([
      {
        path: at("state"),
        kind: "keys",
        state: "repaired",
        details: [expect.stringContaining(`40 bytes could not be read; as it was it is ${at(KEYS)}.damaged`)],
      },
    ]);
    expect(readFileSync(`${at(KEYS)}.damaged`).equals(before)).toBe(true);
    expect((await folder.mqb(["state", "check"])).code).toBe(0);
    expect((await folder.mqb(["state", "repair"])).stdout).toBe(`${at("state")}: sound\n`);
    folder.write("in.txt", "a\nb\nc\n");
    await folder.mqb(["run", "--no-metrics"]);
    expect(readFileSync(at("out.txt"), "utf8")).toBe("a\nb\nc\nb\n");
  });

  it("tells of a write that did not finish, which is no fault", async () => {
    await stored();
    const bytes = readFileSync(at(KEYS));
    writeFileSync(at(KEYS), bytes.subarray(0, bytes.length - 3));
    const { code, stdout } = await folder.mqb(["state", "check"]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/sound\n.*2 keys.*\n.*did not finish, from byte 144 to 181/),
    ]);
  });

  it("keeps the whole entries of a file of states that was cut off", async () => {
    const entries = ['  "mqb_aggregate_r/a:1": "[1.0]"', '  "mqb_aggregate_r/a:\\"2\\",": "[2.0]"'];
    folder.write("states.json", `{\n${entries.join(",\n")},\n  "mqb_aggregate_r/a:3": "[3`);
    const { code, stdout } = await folder.mqb(["state", "repair", "states.json"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("2 whole entries of it are in")]);
    expect(readFileSync(at("states.json"), "utf8")).toBe(`{\n${entries.join(",\n")}\n}`);
    expect(existsSync(at("states.json.damaged"))).toBe(true);
    expect((await folder.mqb(["state", "check", "states.json"])).code).toBe(0);
  });

  it("looks at a file of positions, and moves one that cannot be read out of the way", async () => {
    folder.write("positions.json", '{\n  "orders:id": "int:3"\n}');
    expect((await folder.mqb(["state", "check", "positions.json"])).stdout).toContain("sound");
    folder.write("positions.json", "");
    expect(await folder.mqb(["state", "check", "positions.json"])).toMatchObject({ code: 1 });
    expect((await folder.mqb(["state", "repair", "positions.json"])).stdout).toContain("repaired");
    expect([existsSync(at("positions.json")), existsSync(at("positions.json.damaged"))]).toEqual([false, true]);
  });

  it.each([
    ["rows.csv", "a,b\n", "something that does not begin as they do"],
    ["orders.jsonl", '{"id":1}\n{"id":2}\n', "lines, the first of which is JSON by itself"],
    ["package.json", '{\n  "private": true\n}\n', "valid JSON of another shape"],
  ])("leaves %s where it is, and says what it holds", async (name, text, what) => {
    folder.write(name, text);
    const { code, stderr } = await folder.mqb(["state", "repair", name]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`holds no positions, but ${what}`)]);
    expect([readFileSync(at(name), "utf8"), existsSync(at(`${name}.damaged`))]).toEqual([text, false]);
  });

  it.each(["file:state%.json", "file:state%25.json", "state%.json"])("finds the positions of %s", async (url) => {
    const input = `{ sequence: { endpoints: [{ memory: { topic: t } }], cursor_id: c, checkpoint_store: "${url}" } }`;
    folder.write("config.yml", `routes:\n  r:\n    input: ${input}\n    output: { "null": }\n`);
    folder.write("state%.json", '{\n  "a": "b"\n}');
    const check = await folder.mqb(["state", "check"]);
    expect([check.code, check.stdout], check.stderr).toEqual([0, expect.stringMatching(/state%\.json: sound\n/)]);
    folder.write("state%.json", '{\n  "a');
    const { stdout } = await folder.mqb(["state", "repair"]);
    expect([stdout, existsSync(at("state%.json.damaged"))]).toEqual([expect.stringContaining("repaired"), true]);
  });

  it("says when nothing is there, and touches no folder of somebody else", async () => {
    folder.write("config.yml", CONFIG);
    expect((await folder.mqb(["state", "check"])).stdout).toBe(`${at("state")}: absent\n`);
    folder.write("state/notes.txt", "mine");
    for (const command of ["check", "repair"]) {
      const { code, stderr } = await folder.mqb(["state", command, "state"]);
      expect([code, stderr]).toEqual([1, expect.stringContaining("MQB_DEDUP_FOREIGN")]);
    }
    expect(readdirSync(at("state"))).toEqual(["notes.txt"]);
  });

  it("is not shared by two processes: the second one says who has it", async () => {
    folder.write("config.yml", CONFIG.replace("exit_on_empty: true", "exit_on_empty: false"));
    folder.write("in.txt", "a\n");
    const first = startCli(["run", "--no-metrics"], { cwd: folder.path });
    await first.stderr(/Started/);
    for (const args of [
      ["run", "--no-metrics"],
      ["state", "repair", "state"],
    ]) {
      const { code, stderr } = await folder.mqb(args);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`in use by process ${first.child.pid}`)]);
    }
    expect((await folder.mqb(["state", "check"])).code, "a look is no harm").toBe(0);
    first.child.kill("SIGTERM");
    expect((await first.done).code).toBe(0);
  });

  it("writes no keys in a dry run", async () => {
    folder.write("config.yml", CONFIG);
    folder.write("in.txt", "a\na\n");
    const { code, stdout } = await folder.mqb(["run", "--dry-run"]);
    expect([code, existsSync(at("state"))]).toEqual([0, false]);
    expect(stdout).toContain("deduplicated");
    await stored();
    const before = readFileSync(at(KEYS));
    folder.write("in.txt", "z\n");
    await folder.mqb(["run", "--dry-run"]);
    expect(readFileSync(at(KEYS)).equals(before)).toBe(true);
  });
});
