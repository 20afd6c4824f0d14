import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeContext } from "@mqb/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openConsumer } from "../src/consumer.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mqb-pigeonhole-"));
});
afterEach(() => rm(folder, { recursive: true }));

const open = (path: string) => openConsumer({ path, poll_ms: 1 }, fakeContext({ baseDir: folder }));

describe("what goes wrong with the folder", () => {
  it("is a mistake of the configuration when the path is a file", async () => {
    await writeFile(join(folder, "file"), "");
    for (const path of ["file", "file/inside"]) {
      await expect(open(path)).rejects.toMatchObject({ code: "MQB_PIGEONHOLE_NOT_A_FOLDER", kind: "config" });
    }
  });

  it("is a lost connection when the folder goes away later", async () => {
    const consumer = await open("inbox");
    await rm(join(folder, "inbox"), { recursive: true });
    await expect(consumer.receive(1, AbortSignal.timeout(5000))).rejects.toMatchObject({
      code: "MQB_PIGEONHOLE_UNREACHABLE",
      kind: "connection",
    });
  });

  it("does not hold back what lies before a bad file", async () => {
    const consumer = await open(".");
    await writeFile(join(folder, "1.msg"), '{"id":"7","metadata":[]}\ngood');
    await writeFile(join(folder, "2.msg"), "bad");
    const { batch } = await consumer.receive(10, AbortSignal.timeout(5000));
    expect(Array.from(batch, (message) => message.text())).toEqual(["good"]);
    await expect(consumer.receive(10, AbortSignal.timeout(5000))).rejects.toMatchObject({
      code: "MQB_PIGEONHOLE_BAD_FILE",
    });
  });
});
