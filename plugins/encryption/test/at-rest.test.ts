import { appendFile, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { createBridge, createRegistry } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { fakeContext, TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { atRest } from "../src/at-rest.ts";
import plugin from "../src/index.ts";
import { codeOf, inspectable } from "./inspecting.ts";
import { CIPHERS, KEY, OTHER_KEY } from "./sealing.ts";

const registry = createRegistry([standard, file, plugin]);
const ROWS = Array.from({ length: 2500 }, (_, n) => `{"n":${n},"text":"row ${n} ä"}`);

type Settings = Readonly<Record<string, unknown>>;

/** Copies one file to another; what the route ended with. */
async function copy(dir: TempDir, input: Settings, output: Settings, more: Settings = {}) {
  const bridge = createBridge({ registry, baseDir: dir.path });
  const config = { input: { file: input }, output: { file: output }, exit_on_empty: true, batch_size: 1000, ...more };
  const route = bridge.route("r", config);
  await route.start();
  const result = await route.done;
  await bridge.stop();
  return result;
}

/** Writes the rows in batches of a thousand; each is one frame. */
async function write(dir: TempDir, output: Settings, rows: readonly string[] = ROWS): Promise<Buffer> {
  await dir.write("rows", `${rows.join("\n")}\n`);
  expect(await copy(dir, { path: "rows", format: "raw" }, output)).toMatchObject({ outcome: "completed", drops: [] });
  return readFile(dir.file(output["path"] as string));
}

async function read(dir: TempDir, input: Settings): Promise<string[]> {
  expect(await copy(dir, input, { path: "back", format: "raw" })).toMatchObject({ outcome: "completed", drops: [] });
  return (await dir.read("back")).trimEnd().split("\n");
}

function framesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; count++) at += 8 + Number(bytes.readBigUInt64BE(at));
  return count;
}

describe.each(CIPHERS)("a file that is encrypted with %s", (cipher) => {
  const encryption = { cipher, key: KEY, key_id: "k" };

  it.each(
    ["normal", "json", "text", "raw", "csv"].flatMap((format) =>
      ["none", "gzip", "lz4", "zstd"].map((compression) => [format, compression] as const),
    ),
  )("gives back what was written: %s, %s", async (format, compression) => {
    await using dir = await TempDir.make();
    const settings = { path: "out.enc", format, compression, encryption };
    const bytes = await write(dir, settings);
    expect(framesIn(bytes)).toBe(3);
    for (const text of ["row 7", "text", KEY]) expect(bytes.includes(text)).toBe(false);
    const back = await read(dir, settings);
    const text = ({ n, text }: { n: unknown; text: unknown }) => `${String(n)} ${String(text)}`;
    const parsed = (rows: readonly string[]) =>
      rows.map((row) => text(JSON.parse(row) as { n: unknown; text: unknown }));
    expect(parsed(back)).toEqual(parsed(ROWS));
  });

  it("is appended to with another key, and read with both", async () => {
    await using dir = await TempDir.make();
    await write(dir, { path: "f", format: "raw", encryption }, ["a"]);
    const next = { ...encryption, key: OTHER_KEY, key_id: "next", decrypt_keys: { k: KEY } };
    await write(dir, { path: "f", format: "raw", encryption: next }, ["b"]);
    expect(await read(dir, { path: "f", format: "raw", encryption: next })).toEqual(["a", "b"]);
  });

  it("of which any byte is another gives what stood before and ends the route, without a word of what is in it", async () => {
    const content = "attack at dawn";
    const settings = { cipher, key_id: "k", key: KEY };
    const first = atRest.open(settings, "/").seal(Buffer.from("first"));
    const second = atRest.open(settings, "/").seal(Buffer.from(content));
    for (let at = 0; at < second.length; at++) {
      const changed = Buffer.from(second);
      changed[at]! ^= 1;
      const reader = atRest.open(settings, "/").unseal("f.enc");
      reader.push(Buffer.concat([first, changed]));
      expect(String(await reader.pull())).toBe("first");
      const error = await reader
        .pull()
        .then((piece) => (piece ? "opened" : reader.finish()))
        .catch((cause: unknown) => cause);
      expect(codeOf(error)).toMatch(
        /^MQB_ENCRYPTION_(?:NOT_AUTHENTIC|NOT_SEALED|UNKNOWN_KEY|METADATA_BOUND|FRAME_CUT|FRAME_LENGTH)$/,
      );
      expect(error).toMatchObject({
        kind: "permanent",
        message: expect.stringContaining(`f.enc, byte ${first.length}`) as unknown,
      });
      for (const secret of [content, KEY]) expect(inspectable(error)).not.toContain(secret);
    }
  });
});

const encryption = { key: KEY };
const settings = { path: "f.enc", format: "raw", encryption };

describe("an encrypted file", () => {
  it("that was cut off within a frame gives the frames before it, then fails", async () => {
    await using dir = await TempDir.make();
    const bytes = await write(dir, settings);
    await truncate(dir.file("f.enc"), bytes.length - 1);
    const result = await copy(dir, settings, { path: "back", format: "raw" });
    expect(result).toMatchObject({ outcome: "failed", error: { code: "MQB_ENCRYPTION_FRAME_CUT" } });
    expect((await dir.read("back")).trimEnd().split("\n")).toEqual(ROWS.slice(0, 2000));
  });

  it.each([
    ["of another key", { encryption: { key: OTHER_KEY } }, "MQB_ENCRYPTION_NOT_AUTHENTIC"],
    ["of a key that is not listed", { encryption: { key: KEY, key_id: "other" } }, "MQB_ENCRYPTION_UNKNOWN_KEY"],
    ["without its codec", { compression: "gzip" }, "MQB_FORMATS_WRONG_CODEC"],
  ])("%s fails for good", async (_, more, code) => {
    await using dir = await TempDir.make();
    await write(dir, settings);
    const result = await copy(dir, { ...settings, ...more }, { path: "back", format: "raw" });
    expect(result).toMatchObject({ outcome: "failed", error: { code, kind: "permanent" } });
  });

  it("that others have cut off is warned of when it is appended to", async () => {
    await using dir = await TempDir.make();
    const settings = { path: "out.enc", format: "raw", encryption: { ...encryption, cipher: CIPHERS[0], key_id: "k" } };
    const context = () => fakeContext({ baseDir: dir.path, side: "output", path: "output", plugins: [plugin] });
    const opened = async (): Promise<readonly string[]> => {
      const one = context();
      await (await file.endpoints!["file"]!.output!.open(settings, one)).close();
      return one.log.at("warn");
    };
    const bytes = await write(dir, settings);
    expect(await opened()).toEqual([]);
    await truncate(dir.file("out.enc"), bytes.length - 1);
    expect(await opened()).toEqual([expect.stringMatching(/^out\.enc was cut off within an encrypted frame: /)]);
    await appendFile(dir.file("out.enc"), bytes.subarray(-1));
    await appendFile(dir.file("out.enc"), bytes.subarray(0, 5));
    expect(await opened()).toHaveLength(1);
  });

  it("is told from one that is not", async () => {
    await using dir = await TempDir.make();
    await write(dir, settings);
    await write(dir, { path: "plain", format: "raw" }, ["plain"]);
    const output = { path: "back", format: "raw" };
    await expect(copy(dir, { path: "f.enc", format: "raw" }, output)).rejects.toThrow("looks encrypted");
    const result = await copy(dir, { ...settings, path: "plain" }, output);
    expect(result).toMatchObject({ outcome: "failed", error: { code: "MQB_ENCRYPTION_FRAME_CUT" } });
    await writeFile(dir.file("plain"), "a longer plain text: its first bytes are no length");
    expect(await copy(dir, { ...settings, path: "plain" }, output)).toMatchObject({
      outcome: "failed",
      error: { code: "MQB_ENCRYPTION_FRAME_LENGTH" },
    });
  });

  it("is not appended to without encryption, nor a plain one with it", async () => {
    await using dir = await TempDir.make();
    await write(dir, settings, ["a"]);
    await write(dir, { path: "plain", format: "raw" }, ["plain"]);
    const input = { path: "rows", format: "raw" };
    for (const output of [
      { path: "f.enc", format: "raw" },
      { path: "f.enc", compression: "zstd" },
      { ...settings, path: "plain" },
    ])
      await expect(copy(dir, input, output)).rejects.toMatchObject({ code: "MQB_FILE_OTHER_CODEC", kind: "config" });
  });

  it("goes on behind what a killed process has left of a frame", async () => {
    await using dir = await TempDir.make();
    const whole = await write(dir, settings, ["a"]);
    // What a writer that was killed leaves beside the file: it was about to append a frame of 500 bytes.
    const { ino } = await import("node:fs").then(({ statSync }) => statSync(dir.file("f.enc"), { bigint: true }));
    const mark = { pid: 2 ** 22 + 1, began: 1, ino: String(ino), size: whole.length, length: 500 };
    await writeFile(dir.file(".f.enc.mqb-tail"), JSON.stringify(mark).padEnd(128));
    await appendFile(dir.file("f.enc"), whole.subarray(0, 20));
    await write(dir, settings, ["b"]);
    expect(await read(dir, settings)).toEqual(["a", "b"]);
  });

  it("of CSV is appended to below its own header, however long its first frame is", async () => {
    await using dir = await TempDir.make();
    const csv = { path: "f.csv.enc", format: "csv", encryption };
    const long = JSON.stringify({ b: "x".repeat(1_500_000), a: 1 });
    const bytes = await write(dir, csv, [long]);
    expect(bytes.length).toBeGreaterThan(1_500_000);
    await write(dir, csv, ['{"a":2,"b":"y"}']);
    const rows = (await read(dir, csv)).map((row) => JSON.parse(row) as { a: string; b: string });
    expect(rows.map((row) => row.a)).toEqual(["1", "2"]);
    expect(rows[1]!.b).toBe("y");
  });

  it("that grows is read on", async () => {
    await using dir = await TempDir.make();
    const sealed = atRest.open({ cipher: "aes256gcm", key_id: "default", key: KEY }, "/");
    const second = sealed.seal(Buffer.from("second\n"));
    await dir.write("f", Buffer.concat([sealed.seal(Buffer.from("first\n")), second.subarray(0, 30)]));
    const bridge = createBridge({ registry, baseDir: dir.path });
    const route = bridge.route(
      "r",
      {
        input: { file: { ...settings, path: "f" } },
        output: { file: { path: "back", format: "raw" } },
      },
      { limit: 2 },
    );
    await route.start();
    await appendFile(dir.file("f"), second.subarray(30));
    await route.done;
    expect(await dir.read("back")).toBe("first\nsecond\n");
  });

  it("is written as part files with .enc behind their names", async () => {
    await using dir = await TempDir.make();
    await dir.write("rows", "a\nb\n");
    const output = { path: "parts", format: "raw", name_by: "source_position", compression: "gzip", encryption };
    await copy(dir, { path: "rows", format: "raw" }, output);
    const [part, ...more] = await readdir(dir.file("parts"));
    expect(more).toEqual([]);
    expect(part).toMatch(/\.bin\.gz\.enc$/);
    expect(await read(dir, { ...settings, compression: "gzip", path: `parts/${part}` })).toEqual(["a", "b"]);
  });

  it.each([
    [{ mode: "subscribe" }, "file.encryption works with mode: consume only, not with mode: subscribe"],
    [{ mode: "group_subscribe", group_id: "g" }, "file.encryption works with mode: consume only"],
    [{ mode: "consume", delete: true }, "file.encryption does not go with delete: true"],
    [{ delete: true }, "file.encryption does not go with delete: true"],
  ])("is not read with %j", (more, says) => {
    const bridge = createBridge({ registry });
    expect(() => bridge.route("r", { input: { file: { ...settings, ...more } } })).toThrow(says);
  });

  it("is refused where nothing encrypts", async () => {
    await using dir = await TempDir.make();
    await dir.write("rows", "a\n");
    const bridge = createBridge({ registry: createRegistry([file]), baseDir: dir.path });
    const config = { input: { file: { path: "rows" } }, output: { file: settings } };
    expect(() => bridge.route("r", config)).toThrow(/output\.file\.encryption.*no plugin that encrypts is installed/s);
  });
});
