import { lstat, symlink } from "node:fs/promises";
import { FakeClock, recordingLogger, TempDir } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";

const open = async (url: string, baseDir = "/") =>
  standard.stores!["file"]!.open(url, {
    log: recordingLogger(),
    clock: new FakeClock(),
    baseDir,
    local: (_, make) => make(),
  });
const text = (key: string, value: string) => ({ key, value: Buffer.from(value) });

const CHECKPOINT =
  '{\n  "t:c1": "{\\"mqb_checkpoint\\":1,\\"source\\":\\"sqlx:t:id\\",\\"value\\":\\"int:5\\",\\"updated_at_ms\\":1796002405747}"\n}';

it("writes texts as mq-bridge does", async () => {
  await using dir = await TempDir.make();
  const store = await open(`file://${dir.file("cp.json")}`);
  await store.putMany([
    text("t:c1", '{"mqb_checkpoint":1,"source":"sqlx:t:id","value":"int:5","updated_at_ms":1796002405747}'),
  ]);
  expect(await dir.read("cp.json")).toBe(CHECKPOINT);
  await store.deleteMany(["t:c1"]);
  expect(await dir.read("cp.json")).toBe("{}");
});

it("reads what mq-bridge has written, and keeps it when it writes beside it", async () => {
  await using dir = await TempDir.make();
  await dir.write("cp.json", CHECKPOINT);
  const store = await open(dir.file("cp.json"));
  const [entry] = await store.getMany(["t:c1"]);
  expect(JSON.parse(Buffer.from(entry!.value).toString())).toMatchObject({ value: "int:5" });
  await store.putMany([text("sequence:s1", "1 file,file")]);
  expect(await dir.read("cp.json")).toBe(CHECKPOINT.replace("\n}", ',\n  "sequence:s1": "1 file,file"\n}'));
});

it("keeps the plain form of a text that is written again unchanged", async () => {
  await using dir = await TempDir.make();
  const store = await open(dir.file("cp.json"));
  const versions = new Set<string>();
  for (let i = 0; i < 4; i++) {
    const [result] = await store.putMany([text("a", "same")]);
    if (result!.type === "written") versions.add(result!.version);
  }
  expect(versions.size).toBe(4);
  expect(JSON.parse(await dir.read("cp.json"))).toMatchObject({ a: "same" });
  const again = await open(dir.file("cp.json"));
  expect((await again.getMany(["a"]))[0]?.version).toBe([...versions].at(-1));
  await again.deleteMany(["a"]);
  expect(await dir.read("cp.json")).toBe("{}");
});

it("takes keys that look like its own", async () => {
  await using dir = await TempDir.make();
  const store = await open(dir.file("cp.json"));
  const keys = ["mqb:revisions", "mqb:revisions/x", "mqb:revisions/"];
  for (let i = 0; i < 2; i++) await store.putMany(keys.map((key) => text(key, key)));
  const again = await open(dir.file("cp.json"));
  expect((await again.getMany(keys)).map((entry) => Buffer.from(entry!.value).toString())).toEqual(keys);
});

it.each([
  ["", /empty/],
  ["  \n", /empty/],
  ['{"a": "1"', /no valid JSON/],
  ['["a"]', /no JSON object/],
  ["null", /no JSON object/],
  ['{"a": 1}', /"a" is neither a text nor/],
  ['{"a": {"value": "1"}}', /"a" is neither/],
  ['{"a": "1", "mqb:revisions": "what?"}', /mqb:revisions/],
])("refuses the file %j by name and leaves it as it is", async (content, reason) => {
  await using dir = await TempDir.make();
  const path = await dir.write("cp.json", content);
  await expect(open(path)).rejects.toMatchObject({ code: "MQB_STANDARD_STORE_CORRUPT", kind: "config" });
  await expect(open(path)).rejects.toThrow(reason);
  await expect(open(path)).rejects.toThrow(path);
  expect(await dir.read("cp.json")).toBe(content);
});

it("never overwrites a file that has become corrupt while it was open", async () => {
  await using dir = await TempDir.make();
  const store = await open(dir.file("cp.json"));
  await store.putMany([text("a", "1")]);
  await dir.write("cp.json", "{ torn");
  await expect(store.putMany([text("b", "2")])).rejects.toMatchObject({ code: "MQB_STANDARD_STORE_CORRUPT" });
  await expect(store.getMany(["a"])).rejects.toMatchObject({ code: "MQB_STANDARD_STORE_CORRUPT" });
  expect(await dir.read("cp.json")).toBe("{ torn");
});

it("finds relative, absolute and encoded paths", async () => {
  await using dir = await TempDir.make();
  const forms = [
    "file:a b.json",
    "file:a%20b.json",
    "file:./a b.json",
    "a b.json",
    `file:${dir.path}/a b.json`,
    `file://${dir.path}/a%20b.json`,
    `file://localhost${dir.path}/a%20b.json`,
    `FILE://${dir.path}/a%20b.json`,
  ];
  for (const [n, url] of forms.entries()) {
    await (await open(url, dir.path)).putMany([text(String(n), url)]);
  }
  expect(Object.values(JSON.parse(await dir.read("a b.json")) as object)).toEqual(forms);
});

it.each(["file:", "file:///", "file:///a/", "file://host/a.json", "file://a.json", "file:a.json?ttl=5"])(
  "refuses %s",
  async (url) => {
    await expect(open(url)).rejects.toMatchObject({ code: "MQB_STANDARD_STORE_URL", kind: "config" });
  },
);

it("makes missing folders only when it writes", async () => {
  await using dir = await TempDir.make();
  const store = await open(dir.file("x", "y", "cp.json"));
  await expect(lstat(dir.file("x"))).rejects.toThrow();
  await store.putMany([text("a", "1")]);
  expect(await dir.read("x/y/cp.json")).toBe('{\n  "a": "1"\n}');
});

it("follows a link instead of replacing it", async () => {
  await using dir = await TempDir.make();
  await dir.write("real.json", "{}");
  await symlink(dir.file("real.json"), dir.file("link.json"));
  await (await open(dir.file("link.json"))).putMany([text("a", "1")]);
  expect((await lstat(dir.file("link.json"))).isSymbolicLink()).toBe(true);
  expect(await dir.read("real.json")).toContain('"a": "1"');
});
