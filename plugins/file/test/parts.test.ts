import { readdir, stat, utimes } from "node:fs/promises";
import { codeOf, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { FailingCalls } from "./failing-calls.ts";
import { Workbench } from "./support.ts";

const config = { path: "parts", format: "raw", name_by: "source_position" } as const;
const TOPIC = "file-in.txt-";

function at(record: number, text = `r${record}`): Message {
  return new Message(
    text,
    new Map([
      ["mqb.src.file_path", "in.txt"],
      ["mqb.src.file_record", `${record}`],
    ]),
  );
}

/** Names of the parts without their topic: `first-last.extension`. */
async function parts(bench: Workbench): Promise<string[]> {
  const names = await readdir(bench.dir.file("parts"));
  return names.sort().map((name) => {
    expect(name).toMatch(new RegExp(`^part-${TOPIC}[0-9a-f]{16}-0{10}-\\d{20}-\\d{20}\\.`));
    const [start, end, extension] = /-(\d{20})-(\d{20})\.(.+)$/.exec(name)!.slice(1) as [string, string, string];
    return `${Number(start)}-${Number(end)}.${extension}`;
  });
}

describe("a sink of part files", () => {
  it("writes each run of positions into a file of its own", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink(config);
    expect(await sink.send(at(0), at(1), at(5), at(2))).toBeUndefined();
    expect(await parts(bench)).toEqual(["0-2.bin", "5-5.bin"]);
    const [first] = (await readdir(bench.dir.file("parts"))).sort();
    expect(await bench.dir.read(`parts/${first}`)).toBe("r0\nr1\nr2\n");
  });

  it("recognises what is written already, however a repetition is cut", async () => {
    await using bench = await Workbench.make();
    await (await bench.sink(config)).send(at(0), at(1), at(2));
    const again = await bench.sink(config);
    await again.send(at(1), at(2), at(3));
    await again.send(at(2), at(3), at(4));
    expect(await parts(bench)).toEqual(["0-2.bin", "3-3.bin", "4-4.bin"]);
  });

  it("says once, and counts, that records are recognised", async () => {
    await using bench = await Workbench.make();
    await (await bench.sink(config)).send(at(0), at(1), at(2));
    const context = bench.context({ side: "output" });
    const again = await bench.sink(config, context);
    await again.send(at(1, "other"), at(3));
    await again.send(at(2, "other"), at(0, "other"));
    expect(again.publisher.status!().details).toEqual({ recognised: 3 });
    const warnings = context.log.entries.filter(({ level }) => level === "warn");
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining("not written again")]);
  });

  it("refuses for good what has too long a name for the file system", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink(config);
    const metadata = new Map([
      ["mqb.src.kafka_topic", "t".repeat(249)],
      ["mqb.src.kafka_partition", "0"],
      ["mqb.src.kafka_offset", "1"],
    ]);
    const [outcome] = (await sink.send(new Message("a", metadata)))!;
    expect(outcome).toMatchObject({
      type: "failed",
      error: { code: "MQB_FILE_PART_NAME_TOO_LONG", kind: "permanent" },
    });
  });

  it("leaves a file alone whose name is taken", async () => {
    await using bench = await Workbench.make();
    const [one, other] = [await bench.sink(config), await bench.sink(config)];
    await one.send(at(0, "first"));
    const listed = await other.send(at(0, "second"));
    expect(listed).toBeUndefined();
    const [name] = await readdir(bench.dir.file("parts"));
    expect(await bench.dir.read(`parts/${name}`)).toBe("first\n");
    expect(await parts(bench)).toHaveLength(1);
  });

  it.each([
    ["normal", "none", "jsonl"],
    ["json", "gzip", "jsonl.gz"],
    ["raw", "zstd", "bin.zst"],
    ["text", "lz4", "jsonl.lz4"],
  ] as const)("of %s in %s has the extension %s", async (format, compression, extension) => {
    await using bench = await Workbench.make();
    await (await bench.sink({ ...config, format, compression })).send(at(0));
    expect(await parts(bench)).toEqual([`0-0.${extension}`]);
  });

  it("fails messages without a position, and only them", async () => {
    await using bench = await Workbench.make();
    const outcomes = await (await bench.sink(config)).send(at(0), new Message("x"), at(1));
    expect(outcomes?.map((one) => (one.type === "failed" ? codeOf(one.error) : one.type))).toEqual([
      "accepted",
      "MQB_FORMATS_POSITION_MISSING",
      "accepted",
    ]);
    expect(await parts(bench)).toEqual(["0-1.bin"]);
  });

  it("drops a second message at one position with a warning", async () => {
    await using bench = await Workbench.make();
    const context = bench.context();
    expect(await (await bench.sink(config, context)).send(at(0, "a"), at(0, "b"))).toBeUndefined();
    expect(context.log.entries.filter(({ level }) => level === "warn")).toHaveLength(1);
  });

  it("fails the batch when its names cannot be made durable, and writes nothing twice after that", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink(config);
    {
      using calls = new FailingCalls();
      calls.sync("EIO");
      const outcomes = await sink.send(at(0), at(1));
      expect(outcomes?.map(({ type }) => type)).toEqual(["failed", "failed"]);
    }
    expect(await sink.send(at(0), at(1))).toBeUndefined();
    expect(await parts(bench)).toEqual(["0-1.bin"]);
  });

  it("leaves no staging file behind, and removes old ones of others", async () => {
    await using bench = await Workbench.make();
    await (await bench.sink(config)).send(at(0));
    const now = bench.context().clock.now() / 1000;
    for (const [name, age] of [
      ["old", 61],
      ["young", 59],
    ] as const) {
      await bench.dir.write(`parts/.stage-${name}`, "");
      await utimes(bench.dir.file("parts", `.stage-${name}`), now - age, now - age);
    }
    await bench.sink(config);
    expect((await readdir(bench.dir.file("parts"))).filter((name) => name.startsWith("."))).toEqual([".stage-young"]);
  });

  it("refuses an existing file as its directory", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("parts", "");
    await expect(bench.sink(config)).rejects.toMatchObject({
      kind: "config",
      message: expect.stringContaining("Failed to create part-file sink directory"),
    });
    expect((await stat(bench.dir.file("parts"))).isFile()).toBe(true);
  });

  it("keeps the runs of sources apart whose numbers do not repeat", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "a\n");
    const group = {
      path: "in.txt",
      format: "raw",
      mode: "group_subscribe",
      group_id: "g",
      source_metadata: true,
    } as const;
    const sink = await bench.sink(config);
    for (const text of ["", "b\n"]) {
      await bench.append("in.txt", text);
      const context = bench.context({ draining: true });
      await context.clock.advance(text === "" ? 0 : 5000);
      const source = await bench.source(group, context);
      const delivery = await source.receive();
      expect(await sink.publisher.send(delivery.batch, new AbortController().signal)).toBeUndefined();
      await delivery.commit();
      await source.close();
    }
    expect(await readdir(bench.dir.file("parts"))).toHaveLength(2);
  });
});
