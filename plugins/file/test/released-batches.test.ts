import { NACK } from "@mqb/core/plugin";
import { isKernelBuffer } from "@mqb/formats";
import { describe, expect, it } from "vitest";
import { freeKernelBuffers, lines, type Source, texts, Workbench } from "./support.ts";

const RECORDS = 200_000;
const csv = `name\n${lines(0, RECORDS)}`;

/** Reads to the end; each batch is settled, and released if it is to be, when the next but one has been received. */
async function readAll(source: Source, isReleased: (batch: number) => boolean) {
  const held: Awaited<ReturnType<Source["receive"]>>[] = [];
  const buffers = new Set<ArrayBufferLike>();
  const kept: string[] = [];
  let batches = 0;
  let inKernel = 0;
  for (let done = false; !done; ) {
    const delivery = await source.receive(4000);
    done = delivery.batch.length === 0;
    if (!done) held.push(delivery);
    while (held.length > (done ? 0 : 2)) {
      const oldest = held.shift()!;
      const { bytes } = oldest.batch.slab!;
      buffers.add(bytes.buffer);
      if (isKernelBuffer(bytes)) inKernel += 1;
      kept.push(...texts(oldest.batch));
      await oldest.commit();
      if (isReleased(batches++)) oldest.release!();
    }
  }
  return { kept, buffers: buffers.size, batches, inKernel };
}

/** The first record that is not what stands in the file; undefined when there is none. Those that are undefined pass. */
function firstWrong(records: readonly (string | undefined)[]): string | undefined {
  if (records.length !== RECORDS) return `${records.length} records`;
  const at = records.findIndex((record, n) => record !== undefined && record !== `line ${n}`);
  return records[at];
}

describe.each([
  ["raw", lines(0, RECORDS), (text: string) => text],
  ["csv", csv, (text: string) => (JSON.parse(text) as { name: string }).name],
] as const)("batches of a file (%s)", (format, content, nameOf) => {
  it("whose memory is given back hold what the file does, in a few buffers", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in", content);
    const read = await readAll(await bench.source({ path: "in", format }), () => true);
    expect(firstWrong(read.kept.map(nameOf))).toBe(undefined);
    expect(read.buffers).toBeLessThan(12);
  });

  it("keep their bytes as long as they are not given back", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in", content);
    const source = await bench.source({ path: "in", format });
    const all: Awaited<ReturnType<Source["receive"]>>[] = [];
    for (;;) {
      const delivery = await source.receive(4000);
      if (delivery.batch.length === 0) break;
      await delivery.commit();
      // Every third one is released, and looked at no more.
      if (all.length % 3 === 2) delivery.release!();
      all.push(delivery);
    }
    const seen = all.flatMap(({ batch }, at): (string | undefined)[] =>
      at % 3 === 2 ? Array.from(batch, () => undefined) : texts(batch).map(nameOf),
    );
    expect(firstWrong(seen)).toBe(undefined);
  });

  it("that came back once are not given back: whoever had them first may look at them still", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in", content);
    const source = await bench.source({ path: "in", format });
    const first = await source.receive(4000);
    const before = texts(first.batch);
    await first.commit(before.map(() => NACK));
    const again = await source.receive(4000);
    await again.commit();
    again.release!();
    await readAll(source, () => true);
    const { bytes, starts, ends } = first.batch.slab!;
    const now = Array.from(starts, (start, n) => bytes.toString("utf8", start, ends[n]));
    expect(now.join() === before.join()).toBe(true);
  });
});

it("a file of many chunks is read into the memory of the kernel, which has all of it again when the source is closed", async () => {
  const free = freeKernelBuffers();
  const bench = await Workbench.make();
  await bench.dir.write("in", lines(0, RECORDS).repeat(4));
  const { inKernel } = await readAll(await bench.source({ path: "in", format: "raw" }), () => true);
  await bench[Symbol.asyncDispose]();
  expect(inKernel).toBeGreaterThan(0);
  expect(freeKernelBuffers()).toBe(free);
});
