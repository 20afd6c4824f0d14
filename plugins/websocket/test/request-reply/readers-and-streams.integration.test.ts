import { once } from "node:events";
import { createServer } from "node:http";
import { batchOf, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { addressOf, ask, Routes } from "./setup.ts";

describe("a reader behind HTTP", () => {
  it("gives each of 50 clients another message of the queue", async () => {
    await using routes = new Routes();
    const queue = await routes.publisher({ memory: { topic: "queue", capacity: 100 } });
    const items = Array.from({ length: 50 }, (_, n) => new Message(`item ${n}`));
    for (const item of items) await queue.send(batchOf([item]), new AbortController().signal);
    const front = await routes.start("front", {
      input: { http: { url: "127.0.0.1:0" } },
      output: { reader: { memory: { topic: "queue" } } },
      concurrency: 50,
      batch_size: 1,
    });
    const address = addressOf(front);
    const answers = await Promise.all(items.map(() => ask(address, "next")));
    expect(answers.map(({ status }) => status)).toEqual(items.map(() => 200));
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(items.map((item) => item.text())));
  });
});

describe("streamed answers of HTTP in a stream_buffer", () => {
  it("are read by their correlation ids, each stream whole and in its order", async () => {
    const server = createServer((request, response) => {
      const id = request.headers["correlation_id"];
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      for (let n = 0; n < 20; n++) response.write(`{"of":"${String(id)}","n":${n}}\n`);
      response.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    await using routes = new Routes();
    const sink = await routes.publisher({
      http: { url: `http://127.0.0.1:${port}/`, stream_response_to: { stream_buffer: { topic: "answers" } } },
    });
    const ids = Array.from({ length: 10 }, (_, n) => `stream-${n}`);
    const read = new Map<string, string[]>();
    for (const id of ids) {
      const items: string[] = [];
      read.set(id, items);
      const input = { stream_buffer: { topic: "answers", correlation_id: id } };
      await routes.start(id, { input, output: { null: {} } }, (message) => {
        items.push(message.metadata.get("http_stream_end") === "true" ? "end" : message.text());
      });
    }
    const questions = ids.map((id) => new Message("go", new Map([["correlation_id", id]])));
    await sink.send(batchOf(questions), new AbortController().signal);
    await expect.poll(() => [...read.values()].filter((items) => items.includes("end")).length).toBe(ids.length);
    for (const id of ids) {
      const wanted = Array.from({ length: 20 }, (_, n) => `{"of":"${id}","n":${n}}`);
      expect(read.get(id)).toEqual([...wanted, "end"]);
    }
    await sink.close();
    server.close();
  });
});
