import { isKernelBuffer } from "@mqb/formats";
import { fakeContext } from "@mqb/testkit";
import { expect, it } from "vitest";
import { fileConfig, recordSettings } from "../src/config.ts";
import { FileConsumer } from "../src/source/consumer.ts";
import { decoderOptions } from "../src/source/decoder-options.ts";
import type { ByteInput, Chunk } from "../src/source/input.ts";
import { FailingCalls } from "./failing-calls.ts";
import { freeKernelBuffers, lines, type Source, Workbench } from "./support.ts";

const NEVER = new AbortController().signal;
/** About 9 MB. */
const CONTENT = lines(0, 200_000).repeat(4);

/** Takes batches and gives them back, until one lies in the memory of the kernel; `after` many more then. */
async function readIntoKernel(source: Source, max = 4000, after = 0): Promise<void> {
  for (let inKernel = false, left = after; !inKernel || left-- > 0; ) {
    const delivery = await source.receive(max);
    expect(delivery.batch.length).toBeGreaterThan(0);
    inKernel ||= isKernelBuffer(delivery.batch.slab!.bytes);
    await delivery.commit();
    delivery.release!();
  }
}

/** Takes batches and gives them back, to the end. */
async function readOn(source: Source): Promise<void> {
  for (;;) {
    const delivery = await source.receive(4000);
    if (delivery.batch.length === 0) return;
    await delivery.commit();
    delivery.release!();
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it.each([0, 1, 2, 3])("a chunk that comes %i turns before the close goes back once", async (turns) => {
  const chunks: ((chunk: Chunk | "end") => void)[] = [];
  const recycled: Buffer[] = [];
  const input: ByteInput = {
    next: () => new Promise((resolve) => chunks.push(resolve)),
    recycle: (bytes) => void recycled.push(bytes),
    close: async () => chunks.at(-1)!("end"),
  };
  const consumer = new FileConsumer(options(input), { input, regular: undefined, offset: 0, header: undefined });
  const [first, second] = [Buffer.from("a\n"), Buffer.from("b\n")];
  chunks[0]!({ bytes: first, start: 0, end: 2 });
  const delivery = await consumer.receive(10, NEVER);
  await delivery.commit();
  delivery.release!();
  const receiving = consumer.receive(10, NEVER);
  await turn();
  chunks[1]!({ bytes: second, start: 0, end: 2 });
  for (let n = 0; n < turns; n++) await Promise.resolve();
  await consumer.close();
  const last = await receiving;
  if (last.batch.length > 0) last.release!();
  delivery.release!();
  expect(recycled.filter((bytes) => bytes === first)).toHaveLength(1);
  expect(recycled.filter((bytes) => bytes === second)).toHaveLength(1);
});

it("a source that is closed in the middle of its file gives back what it has read ahead", async () => {
  const free = freeKernelBuffers();
  await using bench = await Workbench.make();
  await bench.dir.write("in", CONTENT);
  for (let after = 0; after < 6; after++) {
    const source = await bench.source({ path: "in", format: "raw" });
    await readIntoKernel(source, 9000, after);
    await turn();
    await source.close();
    expect(freeKernelBuffers()).toBe(free);
  }
});

it("a file that grows by more than was read of it at once costs none", async () => {
  const free = freeKernelBuffers();
  const [some, more] = [lines(0, 62_000), lines(0, 80_000)];
  for (let round = 0; round < 3; round++) {
    await using bench = await Workbench.make();
    await bench.dir.write("in", some);
    const source = await bench.source({ path: "in", format: "raw", mode: "subscribe" }, bench.context());
    for (const content of [some, more, more]) {
      await bench.append("in", content);
      for (let left = content.split("\n").length - 1; left > 0; ) {
        const delivery = await source.receive(left);
        left -= delivery.batch.length;
        await delivery.commit();
        delivery.release!();
      }
    }
    await source.close();
    expect(freeKernelBuffers()).toBe(free);
  }
});

it("reads that fail cost none", async () => {
  const free = freeKernelBuffers();
  await using bench = await Workbench.make();
  await bench.dir.write("in", CONTENT);
  const source = await bench.source({ path: "in", format: "raw" });
  await readIntoKernel(source);
  {
    using _ = new FailingCalls().read("EIO");
    await expect(readOn(source)).rejects.toMatchObject({ code: "MQB_FILE_READ_FAILED" });
  }
  await source.close();
  expect(freeKernelBuffers()).toBe(free);
});

it("batches that are cut into smaller ones are free when all of them are", async () => {
  const free = freeKernelBuffers();
  await using bench = await Workbench.make();
  await bench.dir.write("in", CONTENT);
  const source = await bench.source({ path: "in", format: "raw" });
  // In one size, so that the next batch of it is prepared, which is then asked for in pieces.
  await readIntoKernel(source, 4000, 2);
  await turn();
  for (let pieces = 0; pieces < 2; pieces++) {
    const delivery = await source.receive(700);
    expect(isKernelBuffer(delivery.batch.slab!.bytes)).toBe(true);
    await delivery.commit();
    delivery.release!();
  }
  await readOn(source);
  await source.close();
  expect(freeKernelBuffers()).toBe(free);
});

function options(input: ByteInput): ConstructorParameters<typeof FileConsumer>[0] {
  const context = fakeContext();
  const config = fileConfig.parse({ path: "in", format: "raw" });
  return {
    path: "in",
    draining: true,
    log: context.log,
    decoder: decoderOptions(config, recordSettings(config, context), context),
    records: 0,
    stamp: undefined,
    open: async () => undefined,
    waitForFile: async () => {},
    reopen: async () => input,
    acked: async () => {},
    closed: async () => {},
  };
}
