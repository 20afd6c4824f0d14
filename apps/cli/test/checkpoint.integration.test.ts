import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, startCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

const ROUTE = `routes:
  orders:
    input: { file: { path: in.txt, format: raw, mode: group_subscribe, group_id: g } }
    output: { file: { path: out.txt, format: raw } }
  plain:
    enabled: true
    input: { file: { path: in.txt, format: raw } }
    output: { file: { path: plain.txt, format: raw } }
`;
const SOURCE = "in.txt?format=raw&mode=group_subscribe&group_id=g";

async function copied(): Promise<string> {
  const { code } = await folder.mqb(["copy", SOURCE, "out.txt?format=raw", "--drain"]);
  expect(code).toBe(0);
  return readFileSync(join(folder.path, "out.txt"), "utf8");
}

describe("mqb checkpoint", () => {
  it("shows how far a group has read, of a route and of a source", async () => {
    folder.write("config.yml", ROUTE);
    folder.write("in.txt", "one\ntwo\n");
    expect((await folder.mqb(["checkpoint", "show", "--route", "orders"])).stdout).toBe(
      "value:   none\nsource:  file:in.txt:g\n",
    );
    await copied();
    for (const which of [["--route", "orders"], [SOURCE]]) {
      const { code, stdout } = await folder.mqb(["checkpoint", "show", ...which]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^value: {3}int:8\nsource: {2}file:in\.txt:g\nupdated: \d{4}-\d\d-\d\dT[\d:.]+Z\n$/);
    }
    const { stdout } = await folder.mqb(["checkpoint", "show", SOURCE, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ value: "int:8", source: "file:in.txt:g" });
  });

  it("resets a position and prints the old one: everything is read again", async () => {
    folder.write("in.txt", "one\ntwo\n");
    await copied();
    expect((await folder.mqb(["checkpoint", "reset", SOURCE])).stdout).toContain("int:8");
    expect((await folder.mqb(["checkpoint", "show", SOURCE])).stdout).toContain("none");
    expect(await copied()).toBe("one\ntwo\none\ntwo\n");
  });

  it("sets a position: what lies behind it is read", async () => {
    folder.write("in.txt", "one\ntwo\nthree\n");
    await copied();
    expect((await folder.mqb(["checkpoint", "set", SOURCE, "--value", "int:4"])).stdout).toContain("int:4");
    expect(await copied()).toBe("one\ntwo\nthree\ntwo\nthree\n");
  });

  it.each(["x", "int:x", "int:-1", "text:4", "int:999"])(
    "refuses the position %s and leaves the old one",
    async (value) => {
      folder.write("in.txt", "one\ntwo\n");
      await copied();
      const { code, stderr } = await folder.mqb(["checkpoint", "set", SOURCE, "--value", value]);
      expect(code).toBe(1);
      expect(stderr).toContain("MQB_FILE_POSITION_VALUE");
      expect((await folder.mqb(["checkpoint", "show", SOURCE])).stdout).toContain("int:8");
    },
  );

  it("refuses while the route runs, unless it is forced", async () => {
    folder.write("config.yml", ROUTE);
    folder.write("in.txt", "one\n");
    const env = { XDG_RUNTIME_DIR: folder.path };
    const run = startCli(["run", "--no-metrics"], { cwd: folder.path, env });
    await run.stderr(/Started/);
    const { code, stderr } = await folder.mqb(["checkpoint", "reset", "--route", "orders"], env);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(`CHECKPOINT_IN_USE.*process ${run.child.pid}`)),
    ]);
    expect((await folder.mqb(["checkpoint", "reset", "--route", "orders", "--force"], env)).code).toBe(0);
    run.child.kill();
    await run.done;
  });

  it("names what keeps no position, and what does not exist", async () => {
    folder.write("config.yml", ROUTE);
    folder.write("in.txt", "");
    const plain = await folder.mqb(["checkpoint", "show", "--route", "plain"]);
    expect([plain.code, plain.stderr]).toEqual([1, expect.stringMatching(/route plain keeps no position.*`file`/)]);
    const missing = await folder.mqb(["checkpoint", "show", "--route", "odrers"]);
    expect(missing.stderr).toMatch(/no route "odrers".*\n.*orders, plain/);
    expect((await folder.mqb(["checkpoint", "show"])).code).toBe(2);
    expect((await folder.mqb(["checkpoint", "set", SOURCE])).code).toBe(2);
    expect(existsSync(join(folder.path, "in.txt.g.offset"))).toBe(false);
  });
});
