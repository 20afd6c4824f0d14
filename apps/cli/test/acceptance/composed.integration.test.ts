import { beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "../support/cli.ts";
import { folderPerTest } from "../support/folder.ts";
import { asText, jsonRows, linesOf } from "./rows.ts";

beforeAll(buildCli);
const folder = folderPerTest();
const rows = jsonRows(30);
const pro = rows.filter((_, i) => i % 3 === 0);
const free = rows.filter((_, i) => i % 3 !== 0);
const file = (name: string): string => `file:${name}%3Fformat=raw`;

async function copied(target: string, source = "file:in?format=raw") {
  folder.write("in", asText(rows));
  return await folder.mqb(["copy", source, target, "--drain", "-v"]);
}

describe("a fanout", () => {
  it("writes to every branch", async () => {
    expect((await copied(`fanout:?to=${file("a")}&to=${file("b")}`)).code).toBe(0);
    expect([linesOf(folder.path, "a"), linesOf(folder.path, "b")]).toEqual([rows, rows]);
  });

  it("is not disturbed by a mirror whose sends fail", async () => {
    // The format refuses every row, once the route runs.
    const { code, stdout } = await copied(
      `fanout:?to=${file("a")}&mirror=file:b%3Fformat=csv%26csv.columns=["nosuch"]`,
    );
    expect([code, linesOf(folder.path, "a")]).toEqual([0, rows]);
    expect(stdout).toContain("copied 30 rows");
  });

  it("holds a switch", async () => {
    const inner = encodeURIComponent(`switch:?when=tier=='pro'&to=${file("pro")}&default=${file("other")}`);
    expect((await copied(`fanout:?to=${file("all")}&to=${inner}`)).code).toBe(0);
    expect(["all", "pro", "other"].map((one) => linesOf(folder.path, one))).toEqual([rows, pro, free]);
  });
});

describe("a switch", () => {
  it("takes the first condition that holds", async () => {
    const { code } = await copied(`switch:?when=tier=='pro'&to=${file("a")}&when=id>0&to=${file("b")}`);
    expect([code, linesOf(folder.path, "a"), linesOf(folder.path, "b")]).toEqual([0, pro, free]);
  });

  it("goes by metadata, with a key or in a condition", async () => {
    const envelopes = ["x", "y", "x"].map((kind, i) =>
      JSON.stringify({
        message_id: `01890b7e-0000-7000-8000-00000000000${i}`,
        payload: `{"n":${i}}`,
        metadata: { kind },
      }),
    );
    folder.write("env", asText(envelopes));
    for (const target of [
      `switch:?metadata_key=kind&case.x=${file("x")}&default=${file("other")}`,
      `switch:?when=meta.kind=='x'&to=${file("mx")}&default=${file("mother")}`,
    ])
      expect((await copied(target, "file:env")).code).toBe(0);
    expect(["x", "other", "mx", "mother"].map((one) => linesOf(folder.path, one))).toEqual([
      ['{"n":0}', '{"n":2}'],
      ['{"n":1}'],
      ['{"n":0}', '{"n":2}'],
      ['{"n":1}'],
    ]);
  });

  it("without a default says how many it dropped, and succeeds", async () => {
    const { code, stdout, stderr } = await copied(`switch:?when=tier=='pro'&to=${file("a")}`);
    expect([code, linesOf(folder.path, "a")]).toEqual([0, pro]);
    expect(stdout).toContain("copied 10 of 30 rows");
    expect(stderr).toMatch(/dropped/i);
  });
});

describe("a static source", () => {
  it("brings its body with its metadata to a file", async () => {
    const { code } = await copied("file:out?format=json", 'static:?body={"a":1}&kind=x');
    expect(code).toBe(0);
    expect(JSON.parse(linesOf(folder.path, "out")[0]!)).toMatchObject({ payload: { a: 1 }, metadata: { kind: "x" } });
  });
});
