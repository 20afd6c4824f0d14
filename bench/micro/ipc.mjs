// node ipc.mjs BATCH MESSAGES LOOK RUNS: one process sends messages over a socket, another one's route carries them to
// `null`; with LOOK = look its handler looks at payload and metadata of each. Prints the nanoseconds that a message took, one
// figure a run, as JSON; the first run is not counted.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { batchOf, createBridge, createRegistry, Message } from "../../packages/core/dist/index.js";
import standard from "../../packages/standard/dist/index.js";

const [size, total] = process.argv.slice(2, 4).map(Number);
const bridge = createBridge({ registry: createRegistry([standard]) });

if (process.send) {
  const publisher = await bridge.openPublisher({ memory: { url: process.argv[4] } });
  const payload = Buffer.alloc(190, "x");
  const { signal } = new AbortController();
  process.once("message", async () => {
    for (let sent = 0; sent < total; sent += size) {
      const make = () => new Message(payload, new Map([["kind", "order"]]));
      await publisher.send(batchOf(Array.from({ length: Math.min(size, total - sent) }, make)), signal);
    }
    await publisher.close();
    process.disconnect();
  });
  process.send("ready");
} else {
  const [look, runs] = [process.argv[4], Number(process.argv[5])];
  const figures = [];
  for (let run = 0; run <= runs; run += 1) {
    const figure = await pass(look === "look");
    if (run > 0) figures.push(figure);
  }
  console.log(JSON.stringify(figures));
}

async function pass(look) {
  const folder = mkdtempSync(join(tmpdir(), "mqb-bench-"));
  const url = `ipc://${join(folder, "q.sock")}`;
  let bytes = 0;
  const handler = (message) => {
    if (message.metadata.get("kind") === "order") bytes += message.payload.length;
  };
  const route = bridge.route(
    "ipc",
    { input: { memory: { url } }, output: { null: null }, batch_size: size },
    look ? { limit: total, handler } : { limit: total },
  );
  await route.start();
  const sender = fork(fileURLToPath(import.meta.url), [String(size), String(total), url]);
  await new Promise((resolve) => sender.once("message", resolve));
  const began = process.hrtime.bigint();
  sender.send("go");
  const { outcome, accounting } = await route.done;
  const took = Number(process.hrtime.bigint() - began);
  rmSync(folder, { recursive: true, force: true });
  if (outcome !== "completed" || accounting.delivered !== total || (look && bytes !== total * 190)) {
    throw new Error(`error: ${outcome} with ${accounting.delivered} of ${total} messages`);
  }
  return took / total;
}
