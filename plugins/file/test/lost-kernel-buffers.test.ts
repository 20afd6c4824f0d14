import { NACK } from "@mqb/core/plugin";
import { isKernelBuffer } from "@mqb/formats";
import { expect, it } from "vitest";
import { freeKernelBuffers, texts, Workbench } from "./support.ts";

const RECORDS = 40_000;

it("a route whose batches come back again and again leaves buffers of the kernel for others, and reads on without", async () => {
  const free = freeKernelBuffers();
  await using bench = await Workbench.make();
  const numbers = Array.from({ length: RECORDS }, (_, n) => n);
  await bench.dir.write("in", numbers.map((n) => `${n} ${"x".repeat(990)}\n`).join(""));
  const context = bench.context({ draining: true });
  const read: number[] = [];
  let nacked = 0;
  // Each round is another connection of the same run; each ends when a batch came back that lay in the kernel.
  for (let isOver = false; !isOver; ) {
    const source = await bench.source({ path: "in", format: "raw" }, context);
    for (let isBack = false; !isOver && !isBack; ) {
      const delivery = await source.receive(300);
      const { batch } = delivery;
      isOver = batch.length === 0;
      isBack = !isOver && isKernelBuffer(batch.slab!.bytes);
      if (isBack) {
        nacked += 1;
        await delivery.commit(Array.from(batch, () => NACK));
      } else {
        for (const text of texts(batch)) read.push(Number.parseInt(text, 10));
        await delivery.commit();
        delivery.release?.();
      }
    }
    await source.close();
  }
  expect(read).toEqual(numbers);
  expect(freeKernelBuffers()).toBeGreaterThanOrEqual(free - 5);
  expect(nacked).toBeGreaterThan(3);
});
