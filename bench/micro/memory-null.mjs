// node memory-null.mjs BATCH MESSAGES RUNS: one process sends batches to a memory topic while a route carries them to
// `null`. Prints the nanoseconds that a message took, one figure a run, as JSON; the first run is not counted.
import { batchOf, createBridge, createRegistry, Message } from "../../packages/core/dist/index.js";
import standard from "../../packages/standard/dist/index.js";

const [size, total, runs] = process.argv.slice(2).map(Number);
const payload = Buffer.alloc(190, "x");
const figures = [];
for (let run = 0; run <= runs; run += 1) {
  const figure = await pass();
  if (run > 0) figures.push(figure);
}
console.log(JSON.stringify(figures));

async function pass() {
  const bridge = createBridge({ registry: createRegistry([standard]) });
  const route = bridge.route(
    "micro",
    { input: { memory: { topic: "micro" } }, output: { null: null }, batch_size: size },
    { limit: total },
  );
  await route.start();
  const publisher = await bridge.openPublisher({ memory: { topic: "micro" } });
  const { signal } = new AbortController();
  const began = process.hrtime.bigint();
  for (let sent = 0; sent < total; sent += size) {
    const batch = batchOf(Array.from({ length: Math.min(size, total - sent) }, () => new Message(payload)));
    await publisher.send(batch, signal);
  }
  const { outcome, accounting } = await route.done;
  const took = Number(process.hrtime.bigint() - began);
  if (outcome !== "completed" || accounting.delivered !== total) {
    throw new Error(`${outcome} with ${accounting.delivered} of ${total} messages`);
  }
  await publisher.close();
  return took / total;
}
