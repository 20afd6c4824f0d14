import { execFileSync } from "node:child_process";
import { createReadStream, readdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { Message, NACK } from "@mqb/core/plugin";
import { eventually } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { Workbench } from "./support.ts";

const raw = { path: "pipe", format: "raw" } as const;

async function withPipe(): Promise<Workbench> {
  const bench = await Workbench.make();
  execFileSync("mkfifo", [bench.dir.file("pipe")]);
  return bench;
}

describe.skipIf(process.platform === "win32")("a FIFO as a source", () => {
  it("is read as it comes, and ends when its writers have closed it", async () => {
    await using bench = await withPipe();
    const source = await bench.source(raw, bench.context());
    const writer = await open(bench.dir.file("pipe"), "w");
    await writer.write("a\nb");
    expect(await source.take()).toEqual(["a"]);
    await writer.write("b\nlast");
    await writer.close();
    expect([...(await source.take()), ...(await source.take())]).toEqual(["bb", "last"]);
    await expect(source.receive()).rejects.toMatchObject({ code: "MQB_FILE_STREAM_ENDED", kind: "end" });
  });

  it("ends a drain with an empty batch", async () => {
    await using bench = await withPipe();
    const source = await bench.source(raw);
    const writer = await open(bench.dir.file("pipe"), "w");
    await writer.write("a\n");
    await writer.close();
    expect(await source.drain()).toEqual(["a"]);
  });

  it("does not end before what was read of it is settled", async () => {
    await using bench = await withPipe();
    const source = await bench.source(raw, bench.context());
    const writer = await open(bench.dir.file("pipe"), "w");
    await writer.write("a\n");
    await writer.close();
    const delivery = await source.receive();
    const waiting = source.receive();
    await delivery.commit([NACK]);
    const again = await waiting;
    expect(again.batch.at(0).text()).toBe("a");
    await again.commit();
    await expect(source.receive()).rejects.toMatchObject({ kind: "end" });
  });

  it("gives back what is nacked while it waits for more", async () => {
    await using bench = await withPipe();
    const source = await bench.source(raw, bench.context());
    const writer = await open(bench.dir.file("pipe"), "w");
    await writer.write("a\n");
    const delivery = await source.receive();
    const waiting = source.receive();
    await delivery.commit([NACK]);
    expect((await waiting).batch.at(0).text()).toBe("a");
    await writer.close();
  });

  it("loses nothing by a reconnect: what was not acked comes again, then the rest", async () => {
    await using bench = await withPipe();
    const context = bench.context();
    const before = await bench.source(raw, context);
    const writer = await open(bench.dir.file("pipe"), "w");
    await writer.write("a\nb\nc\npart");
    await (await before.receive(1)).commit();
    await before.receive(1);
    await before.close();
    const after = await bench.source(raw, context);
    expect(await after.take(1)).toEqual(["b"]);
    expect(await after.take(1)).toEqual(["c"]);
    await writer.write("ly\n");
    expect(await after.take()).toEqual(["partly"]);
    await writer.close();
  });

  it("keeps its writer over a reconnect, and lets go of it when the route has ended", async () => {
    await using bench = await withPipe();
    const context = bench.context();
    const before = await bench.source(raw, context);
    const writer = await open(bench.dir.file("pipe"), "w");
    await writer.write("a\n");
    await (await before.receive(1)).commit();
    await before.close();
    await writer.write("written meanwhile\n");
    const after = await bench.source(raw, context);
    expect(await after.take()).toEqual(["written meanwhile"]);
    await after.close();
    for (const held of context.session.values()) await (held as AsyncDisposable)[Symbol.asyncDispose]();
    const broken = (): Promise<boolean> =>
      writer.write("too late\n").then(
        () => false,
        (error: { code?: string }) => error.code === "EPIPE",
      );
    await eventually(broken, "the writer to be broken off");
    await writer.close();
  });

  it("is refused where a position in a file is needed", async () => {
    await using bench = await withPipe();
    const group = { ...raw, mode: "group_subscribe", group_id: "g" } as const;
    await expect(bench.source(group)).rejects.toMatchObject({ code: "MQB_FILE_NEEDS_REGULAR_FILE", kind: "config" });
    await expect(bench.source({ ...raw, mode: "consume", delete: true })).rejects.toMatchObject({ kind: "config" });
    await expect(bench.sink({ ...raw, fsync: "batch" })).rejects.toMatchObject({ kind: "config" });
  });

  it("with compressed data that is not declared is refused", async () => {
    await using bench = await withPipe();
    const source = await bench.source(raw);
    const writer = await open(bench.dir.file("pipe"), "w");
    await writer.write(Buffer.from("1f8b080000000000", "hex"));
    await expect(source.receive()).rejects.toMatchObject({ code: "MQB_FORMATS_COMPRESSED" });
    await writer.close();
  });
});

describe.skipIf(process.platform === "win32")("a FIFO as a sink", () => {
  it("waits for a reader, then takes batches of any size", async () => {
    await using bench = await withPipe();
    const context = bench.context({ side: "output" });
    const opening = bench.sink(raw, context);
    await context.clock.waiting();
    const reading = text(createReadStream(bench.dir.file("pipe")));
    const sink = await context.clock.runUntil(opening);
    await sink.send(new Message("x".repeat(300_000)));
    await sink.send(new Message("end"));
    await sink.close();
    expect(await reading).toBe(`${"x".repeat(300_000)}\nend\n`);
  });

  it("gives up waiting when the start is given up", async () => {
    await using bench = await withPipe();
    const context = bench.context({ side: "output" });
    const opening = bench.sink(raw, context);
    await context.clock.waiting();
    context.abort();
    await expect(opening).rejects.toMatchObject({ code: "MQB_FILE_NO_READER", kind: "connection" });
  });

  it("ends the route cleanly when its reader has gone", async () => {
    await using bench = await withPipe();
    const reader = createReadStream(bench.dir.file("pipe"));
    const context = bench.context({ side: "output" });
    const sink = await context.clock.runUntil(bench.sink(raw, context));
    await sink.send(new Message("a"));
    const closed = new Promise<void>((resolve) => reader.once("close", () => resolve()));
    reader.destroy();
    await closed;
    await expect(sink.send(new Message("b"))).rejects.toMatchObject({ code: "MQB_FILE_PIPE_CLOSED", kind: "end" });
  });
});

it.skipIf(process.platform !== "linux")(
  "a device that is full fails the batch, which may go through later",
  async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink({ path: "/dev/full", format: "raw" });
    await expect(sink.send(new Message("x"))).rejects.toMatchObject({
      code: "MQB_FILE_WRITE_FAILED",
      kind: "retryable",
    });
  },
);

describe.skipIf(process.platform !== "linux")("a character device as a source", () => {
  it("is read", async () => {
    await using bench = await Workbench.make();
    const zeros = await bench.source({ path: "/dev/zero", format: "raw", delimiter: "0x00", max_message_bytes: 100 });
    await zeros.close();
    const random = await bench.source({ path: "/dev/urandom", format: "raw", delimiter: "0x0a" });
    expect(await random.take(3)).toHaveLength(3);
    expect(await (await bench.source({ path: "/dev/null", format: "raw" })).drain()).toEqual([]);
  });

  it("leaves nothing open", async () => {
    await using bench = await Workbench.make();
    const count = () => readdirSync("/proc/self/fd").length;
    const open = async (): Promise<void> => {
      const source = await bench.source({ path: "/dev/null", format: "raw" });
      await source.drain();
      await source.close();
    };
    await open();
    const before = count();
    for (let n = 0; n < 20; n++) await open();
    await eventually(() => count() <= before + 2, "descriptors are closed");
  });
});
