import { writeFile } from "node:fs/promises";
import { createBridge, createRegistry } from "@mqb/core";
import { batchOf, Message } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { CollectingPublisher, fakeContext, TempDir, texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";

const definition = plugin.middlewares!["transform"]!;
const signal = new AbortController().signal;

async function failureOf(transform: unknown, baseDir: string): Promise<unknown> {
  const route = createBridge({ registry: createRegistry([standard, plugin]), baseDir }).route("r", {
    input: { memory: { topic: "a" }, middlewares: [{ transform }] },
    output: { memory: { topic: "b" } },
  });
  return route.start().then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("schema_file", () => {
  it("is read relative to the base folder, once for the life of the route", async () => {
    await using dir = await TempDir.make();
    await writeFile(dir.file("s.json"), '{"type":"object","properties":{"n":{"type":"integer","default":1.50}}}');
    await expect(failureOf({ schema_file: "s.json" }, dir.path)).resolves.toMatchObject({
      code: "MQB_TRANSFORM_SCHEMA_DEFAULT",
      message: expect.stringContaining("s.json"),
    });
    await writeFile(dir.file("s.json"), '{"properties":{"n":{"type":"number","default":1.50}}}');
    const context = fakeContext({ baseDir: dir.path, session: new Map() });
    const sink = new CollectingPublisher();
    for (const _ of [1, 2]) {
      const publisher = await definition.output!(sink, { schema_file: "s.json" }, context);
      await publisher.send(batchOf([new Message("{}")]), signal);
      await writeFile(dir.file("s.json"), "gone");
    }
    expect(texts(sink.messages)).toEqual(['{"n":1.50}', '{"n":1.50}']);
  });

  it("that does not exist keeps the route from starting, with the reason of the system", async () => {
    await using dir = await TempDir.make();
    const error = await failureOf({ schema_file: "nowhere.json" }, dir.path);
    expect(error).toMatchObject({ code: "MQB_TRANSFORM_SCHEMA_FILE", kind: "config" });
    expect(error).toMatchObject({ message: expect.stringContaining("nowhere.json"), cause: { code: "ENOENT" } });
  });

  it("that is not JSON keeps the route from starting, with the place of the fault", async () => {
    await using dir = await TempDir.make();
    await writeFile(dir.file("notes.txt"), "some text");
    const error = await failureOf({ schema_file: "notes.txt" }, dir.path);
    expect(error).toMatchObject({ code: "MQB_TRANSFORM_SCHEMA_FILE_JSON", kind: "config" });
    expect(error).toMatchObject({ message: expect.stringContaining("notes.txt does not hold JSON") });
    expect(error).toMatchObject({ cause: { message: expect.stringContaining("at byte 0") } });
  });
});
