import { rename } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { NACK } from "@mqb/core/plugin";
import { openCompressor } from "@mqb/formats";
import { describe, expect, it } from "vitest";
import { lines, texts, Workbench } from "./support.ts";

const codecs = ["gzip", "lz4", "zstd"] as const;

async function member(codec: (typeof codecs)[number], text: string): Promise<Buffer> {
  return Buffer.concat((await (await openCompressor(codec)).compress(Buffer.from(text))) as Buffer[]);
}

describe.each(codecs)("a file in %s", (compression) => {
  const config = { path: "in", format: "raw", compression } as const;

  it("is read through all its members, also where one ends within a record", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write(
      "in",
      Buffer.concat([await member(compression, "a\nb"), await member(compression, "c\nd\n")]),
    );
    expect(await (await bench.source(config)).drain()).toEqual(["a", "bc", "d"]);
  });

  it("that was cut off fails with its offset after the whole records", async () => {
    await using bench = await Workbench.make();
    const second = await member(compression, lines(0, 1000));
    const cut = Buffer.concat([await member(compression, "a\nb\n"), second.subarray(0, second.length - 12)]);
    await bench.dir.write("in", cut);
    const source = await bench.source(config);
    expect((await source.take(2)).join()).toBe("a,b");
    let failure: unknown;
    try {
      await source.drain(5000);
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({ code: "MQB_FORMATS_TRUNCATED", kind: "permanent" });
  });

  it("that grows while it is drained is read to its end", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in", await member(compression, "a\n"));
    const source = await bench.source(config);
    const delivery = await source.receive(1);
    await bench.append("in", await member(compression, "b\n"));
    await delivery.commit();
    expect([...texts(delivery.batch), ...(await source.drain())]).toEqual(["a", "b"]);
  });

  it("with something else behind its members delivers what they hold", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write(
      "in",
      Buffer.concat([await member(compression, lines(0, 1000)), Buffer.from("garbage here")]),
    );
    const source = await bench.source(config);
    expect(await source.take(2000)).toHaveLength(1000);
    await expect(source.receive()).rejects.toMatchObject({ code: "MQB_FORMATS_CORRUPT" });
  });

  it("that is replaced before a member is whole says so, and the new file is read", async () => {
    await using bench = await Workbench.make();
    const second = await member(compression, lines(0, 100));
    const path = await bench.dir.write("in", Buffer.concat([await member(compression, "a\n"), second.subarray(0, -9)]));
    const context = bench.context();
    const source = await bench.source(config, context);
    await source.take(1);
    await rename(path, `${path}.1`);
    await bench.dir.write("in", await member(compression, "new\n"));
    let last: string | undefined;
    while (last !== "new") last = (await source.take()).at(-1);
    expect(context.log.entries.some(({ message }) => message.includes("was replaced before it was complete"))).toBe(
      true,
    );
  });

  it("of another codec is refused for good", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in", "plain text that is long enough\n");
    const source = await bench.source(config);
    await expect(source.receive()).rejects.toMatchObject({ code: "MQB_FORMATS_WRONG_CODEC", kind: "permanent" });
  });

  it("grows by members while it is followed", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in", await member(compression, "a\n"));
    const source = await bench.source(config, bench.context());
    expect(await source.take()).toEqual(["a"]);
    const next = await member(compression, "b\n");
    await bench.append("in", next.subarray(0, 5));
    await bench.append("in", next.subarray(5));
    expect(await source.take()).toEqual(["b"]);
  });

  it("goes on behind what was acked after a reconnect", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in", await member(compression, lines(0, 6)));
    const context = bench.context({ draining: true });
    const before = await bench.source(config, context);
    await (await before.receive(2)).commit();
    await (await before.receive(2)).commit([NACK, NACK]);
    await before.close();
    expect(await (await bench.source(config, context)).drain()).toEqual(["line 2", "line 3", "line 4", "line 5"]);
  });

  it("is written as members that the source reads", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("plain", lines(0, 50_000));
    const source = await bench.source({ path: "plain", format: "raw" });
    const sink = await bench.sink(config);
    for (;;) {
      const { batch } = await source.receive(20_000);
      if (batch.length === 0) break;
      await sink.publisher.send(batch, new AbortController().signal);
    }
    const back = await bench.source(config);
    expect((await back.drain(10_000)).join("\n")).toBe(lines(0, 50_000).trimEnd());
  });
});

it("CSV in gzip has its names after a reconnect too", async () => {
  await using bench = await Workbench.make();
  await bench.dir.write("in.csv.gz", gzipSync("id,name\n1,a\n2,b\n"));
  const context = bench.context({ draining: true });
  const config = { path: "in.csv.gz", format: "csv", compression: "gzip" } as const;
  const before = await bench.source(config, context);
  await (await before.receive(1)).commit();
  await before.close();
  const after = await bench.source(config, context);
  expect(texts((await after.receive()).batch)).toEqual(['{"id":"2","name":"b"}']);
});
