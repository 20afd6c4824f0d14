import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { Capture } from "./capture.ts";
import { freshLab } from "./slots.ts";

/** `MQB_CDC_ROWS=5000000` takes some minutes and gigabytes of disk. */
const ROWS = Number(process.env["MQB_CDC_ROWS"] ?? 100_000);
const WIDTH = 500;
const MIB = 1024 * 1024;

/** Bytes in buffers that somebody still has. What a collection frees is counted out in another thread, a little later. */
async function held(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 5; turn++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
    least = Math.min(least, process.memoryUsage().arrayBuffers);
  }
  return least;
}

it("a transaction of any size takes the memory of a few batches, from its begin to its end", async () => {
  const lab = await freshLab();
  try {
    await lab.sql("CREATE TABLE t (id int PRIMARY KEY, v text); CREATE PUBLICATION p FOR TABLE t");
    const capture = await Capture.open({ url: lab.url, publication: "p", slot_name: lab.slot });
    const before = await held();
    await lab.sql(`INSERT INTO t SELECT n, repeat('x', ${WIDTH}) FROM generate_series(1, ${ROWS}) n`);
    let most = 0;
    let count = 0;
    for (const share of [0.1, 0.5, 0.9, 1]) {
      while (count < ROWS * share) {
        const delivery = await capture.receive(1000, 120_000);
        count += delivery.batch.length;
        await delivery.commit();
      }
      most = Math.max(most, (await held()) - before);
    }
    expect(count).toBe(ROWS);
    expect(Number(capture.details()["spooled_bytes"])).toBeGreaterThan((ROWS * WIDTH) / 2);
    expect(most).toBeLessThan(16 * MIB);
    await capture.close();
  } finally {
    await lab.drop();
  }
}, 600_000);
