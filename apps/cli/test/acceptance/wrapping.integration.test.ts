import { beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "../support/cli.ts";
import { folderPerTest } from "../support/folder.ts";
import { linesOf } from "./rows.ts";

beforeAll(buildCli);
const folder = folderPerTest();
const ROW = '{"a": 1,"b":"x"}';
const ID = "01890b7e-0000-7000-8000-000000000001";

async function written(source: string, target: string): Promise<string> {
  expect((await folder.mqb(["copy", source, target, "--drain"])).code).toBe(0);
  return linesOf(folder.path, "out")[0]!;
}

describe("the format of a file decides how a payload is wrapped", () => {
  it.each(["", "?format=normal"])("as a text in an envelope: file:out%s", async (query) => {
    folder.write("in", `${ROW}\n`);
    const envelope = JSON.parse(await written("file:in?format=raw", `file:out${query}`)) as Record<string, unknown>;
    expect(envelope).toMatchObject({ message_id: expect.any(String), payload: ROW });
  });

  it("as JSON inside the envelope, which keeps the id: json", async () => {
    folder.write("in", `${JSON.stringify({ message_id: ID, payload: ROW, metadata: { k: "v" } })}\n`);
    const envelope = JSON.parse(await written("file:in", "file:out?format=json")) as Record<string, unknown>;
    expect(envelope).toMatchObject({ message_id: ID, payload: { a: 1, b: "x" }, metadata: { k: "v" } });
  });

  it("not at all: raw", async () => {
    folder.write("in", `${JSON.stringify({ message_id: ID, payload: ROW, metadata: {} })}\n`);
    expect(await written("file:in", "file:out?format=raw")).toBe(ROW);
  });
});
