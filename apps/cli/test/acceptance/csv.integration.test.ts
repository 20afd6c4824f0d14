import { beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "../support/cli.ts";
import { folderPerTest } from "../support/folder.ts";
import { linesOf } from "./rows.ts";

beforeAll(buildCli);
const folder = folderPerTest();

describe("CSV", () => {
  it("has its header as keys and all values as texts, also quoted, empty and with umlauts", async () => {
    folder.write("in.csv", 'id,näme,note\n1,"Müller, Jörg","he said ""hi"""\n2,,"two\nlines"\n');
    const { code } = await folder.mqb(["copy", "in.csv?format=csv", "file:out?format=raw", "--drain"]);
    expect(code).toBe(0);
    expect(linesOf(folder.path, "out").map((line) => JSON.parse(line) as unknown)).toEqual([
      { id: "1", näme: "Müller, Jörg", note: 'he said "hi"' },
      { id: "2", näme: "", note: "two\nlines" },
    ]);
  });

  it("written and read again is the same", async () => {
    const rows = ['{"a":"1","b":"x, y"}', '{"a":"","b":"say \\"hi\\""}', '{"a":"ü","b":"two\\nlines"}'];
    folder.write("in", rows.map((row) => `${row}\n`).join(""));
    await folder.mqb(["copy", "file:in?format=raw", "file:t.csv?format=csv", "--drain"]);
    await folder.mqb(["copy", "t.csv?format=csv", "file:out?format=raw", "--drain"]);
    expect(linesOf(folder.path, "out")).toEqual(rows);
  });

  it("has keys of records as its own keys only, whatever they are called", async () => {
    folder.write("in.csv", "id,__proto__,constructor,a.__proto__.polluted,toString\n1,2,3,4,5\n");
    const { code } = await folder.mqb(["copy", "in.csv?format=csv", "file:out?format=raw", "--drain"]);
    expect(code).toBe(0);
    expect(linesOf(folder.path, "out")).toEqual([
      '{"id":"1","__proto__":"2","constructor":"3","a.__proto__.polluted":"4","toString":"5"}',
    ]);
  });
});
