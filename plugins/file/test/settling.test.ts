import { ACK, NACK } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { lines, texts, Workbench } from "./support.ts";

const raw = { path: "in.txt", format: "raw" } as const;

describe("records that are nacked", () => {
  it("come again from the first nacked one on, before newer ones", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", lines(0, 6));
    const source = await bench.source(raw);
    const first = await source.receive(4);
    await first.commit([ACK, NACK, ACK, NACK]);
    expect(await source.take(2)).toEqual(["line 1", "line 2"]);
    expect(await source.take(10)).toEqual(["line 3"]);
    expect(await source.take(10)).toEqual(["line 4", "line 5"]);
    expect(await source.take()).toEqual([]);
  });

  it("can be nacked again and again", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "a\n");
    const source = await bench.source(raw);
    for (let n = 0; n < 5; n++) await (await source.receive()).commit([NACK]);
    expect(await source.drain()).toEqual(["a"]);
  });

  it("come again with the ids and positions that they had", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", lines(0, 3));
    const source = await bench.source({ ...raw, source_metadata: true });
    const first = await source.receive();
    const before = [...first.batch].slice(1).map((one) => [one.id, one.metadata.get("mqb.src.file_record")]);
    await first.commit([ACK, NACK, NACK]);
    const again = await source.receive();
    expect([...again.batch].map((one) => [one.id, one.metadata.get("mqb.src.file_record")])).toEqual(before);
  });
});

describe("a connection of a run that begins after another", () => {
  it("goes on behind what was acked without a gap", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", lines(0, 10));
    const context = bench.context({ draining: true });
    const before = await bench.source(raw, context);
    const [first, second, third] = [await before.receive(2), await before.receive(2), await before.receive(2)];
    await first.commit();
    await second.commit([ACK, NACK]);
    await third.commit();
    await before.close();
    const after = await bench.source(raw, context);
    expect(texts((await after.receive(2)).batch)).toEqual(["line 3", "line 4"]);
  });

  it("begins at the start again in another run", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", "a\n");
    expect(await (await bench.source(raw)).drain()).toEqual(["a"]);
    expect(await (await bench.source(raw)).drain()).toEqual(["a"]);
  });

  it.each([
    ["csv", "id,name\n1,a\n2,b\n3,c\n", ['{"id":"2","name":"b"}', '{"id":"3","name":"c"}']],
    ["raw", "1\n2\n3\n", ["2", "3"]],
  ] as const)("goes on in %s with the numbers and names it had", async (format, text, rest) => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", text);
    const context = bench.context({ draining: true });
    const config = { path: "in.txt", format, source_metadata: true } as const;
    const before = await bench.source(config, context);
    await (await before.receive(1)).commit();
    await before.close();
    const after = await (await bench.source(config, context)).receive();
    expect(texts(after.batch)).toEqual(rest);
    expect(after.batch.metadata(0).get("mqb.src.file_record")).toBe("1");
  });
});
