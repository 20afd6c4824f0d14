import { createBridge, createRegistry } from "@mqb/core";
import file from "@mqb/file";
import nats from "@mqb/nats";
import standard from "@mqb/standard";

const url = process.env["NATS_URL"] ?? "nats://127.0.0.1:4222";
const bridge = createBridge({ registry: createRegistry([standard, file, nats]) });

// A stream that keeps what it has acknowledged, and is made when it is not there.
const orders = { url, stream: "example_orders", subject: "example_orders.new" };
const put = bridge.route("put", {
  exit_on_empty: true,
  input: { file: { path: "orders.jsonl", format: "raw" } },
  output: { nats: orders },
});
await put.start();
console.log(`${(await put.done).accounting.delivered} orders are in the stream`);

// Somebody who answers questions over core NATS, which keeps nothing.
const prices = { url, subject: "example.prices", no_jetstream: true };
const answers = bridge.route(
  "answers",
  { input: { nats: { ...prices, stream: "prices" } }, output: { response: {} } },
  {
    handler(question) {
      const { item, count } = question.json() as { readonly item: string; readonly count: number };
      return question.with({ payload: Buffer.from(JSON.stringify({ item, cents: count * item.length * 10 })) });
    },
  },
);
await answers.start();

// Each order of the stream is a question, and is acknowledged when its answer is in the file.
const price = bridge.route("price", {
  exit_on_empty: true,
  concurrency: 1,
  input: { nats: orders },
  output: {
    request: {
      to: { nats: { ...prices, request_reply: true } },
      forward_to: { file: { path: "out/prices.jsonl", format: "raw" } },
    },
  },
});
await price.start();
console.log(`${(await price.done).accounting.delivered} orders have a price`);
await answers.stop();
