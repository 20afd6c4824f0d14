import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { batchOf, codeOf, Message, MqbError } from "@mqb/core/plugin";
import { CollectingPublisher, FakeClock, fakePlugin, turns } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { answering, forever, sink } from "./support.ts";

async function streaming(answer: (response: ServerResponse) => void, clock?: FakeClock, options = {}) {
  const items = new CollectingPublisher();
  const server = await answering((_, __, response) => answer(response));
  const opened = await sink(
    {
      url: `${server.url}/?key=geheim`,
      stream_response_to: { items: {} },
      ...options,
      ...(clock && { request_timeout_ms: 1000 }),
    },
    [fakePlugin({ items: { publisher: items } })],
    clock,
  );
  return {
    items,
    ...opened,
    async [Symbol.asyncDispose]() {
      await opened.end.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const request = new Message("ask", new Map([["correlation_id", "c-1"]]));
const texts = (items: CollectingPublisher): string[] => items.messages.map((message) => message.text());

describe("the items of an answer", () => {
  it("are passed on before it has ended, with a last one that says so", async () => {
    const open: ServerResponse[] = [];
    await using set = await streaming((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: one\n\nevent: e\nid: 7\ndata: two\n\ndata: th");
      open.push(response);
    });
    const sending = set.end.send(batchOf([request]), forever());
    await set.items.collected(2);
    open[0]!.end("ree\n\n");
    expect(await sending).toEqual([{ type: "accepted" }]);
    expect(texts(set.items)).toEqual(["one", "two", "three", ""]);
    const facts = set.items.messages.map(({ metadata }) => [
      metadata.get("http_stream_index"),
      metadata.get("http_stream_end"),
    ]);
    expect(facts).toEqual([
      ["0", undefined],
      ["1", undefined],
      ["2", undefined],
      ["3", "true"],
    ]);
    const { metadata } = set.items.messages[1]!;
    expect(Object.fromEntries(metadata)).toMatchObject({
      correlation_id: "c-1",
      http_stream_id: request.id.replaceAll("-", ""),
      http_stream_format: "sse",
      http_status_code: "200",
      sse_event: "e",
      sse_id: "7",
    });
  });

  it("carry the id of a request without a correlation id, as 32 hex digits", async () => {
    await using set = await streaming((response) =>
      response.writeHead(200, { "content-type": "application/jsonl" }).end("1\n2"),
    );
    const plain = new Message("ask");
    await set.end.send(batchOf([plain]), forever());
    expect(texts(set.items)).toEqual(["1", "2", ""]);
    expect(set.items.messages[0]!.metadata.get("correlation_id")).toBe(plain.id.replaceAll("-", ""));
  });

  it("are none when the answer breaks before the first one: the request has failed", async () => {
    await using set = await streaming((response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.write("hal");
      setImmediate(() => response.destroy());
    });
    const [outcome] = (await set.end.send(batchOf([request]), forever()))!;
    expect(outcome).toMatchObject({ type: "failed", error: { code: "MQB_HTTP_BROKEN_OFF", kind: "retryable" } });
    expect(set.items.messages).toEqual([]);
  });

  it("end with one that says what went wrong when the answer breaks later, and the request is accepted", async () => {
    const open: ServerResponse[] = [];
    await using set = await streaming((response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.write("1\n2");
      open.push(response);
    });
    const sending = set.end.send(batchOf([request]), forever());
    await set.items.collected(1);
    open[0]!.destroy();
    expect(await sending).toEqual([{ type: "accepted" }]);
    expect(texts(set.items)).toEqual(["1", ""]);
    const { metadata } = set.items.messages[1]!;
    expect(metadata.get("http_stream_end")).toBe("true");
    expect(metadata.get("http_stream_error")).toMatch(/broke off/);
  });

  it("are not read faster than they are taken", async () => {
    let written = 0;
    await using set = await streaming((response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      const line = `${"x".repeat(64 * 1024)}\n`;
      const more = (): void => {
        do written += 1;
        while (response.write(line) && written < 400);
        if (written < 400) response.once("drain", more);
        else response.end();
      };
      more();
    });
    set.items.stall();
    const sending = set.end.send(batchOf([request]), forever());
    await expect.poll(() => set.items.inFlight).toBe(1);
    expect(written).toBeLessThan(300);
    set.items.release();
    expect(await sending).toEqual([{ type: "accepted" }]);
    expect(set.items.messages.length).toBe(401);
  });

  it("may be taken more slowly than a request may take", async () => {
    const open: ServerResponse[] = [];
    const clock = new FakeClock();
    await using set = await streaming((response) => {
      open.push(response.writeHead(200, { "content-type": "application/jsonl" }));
      response.write("1\n");
    }, clock);
    set.items.stall();
    const sending = set.end.send(batchOf([request]), forever());
    await expect.poll(() => set.items.inFlight).toBe(1);
    await clock.advance(5000);
    open[0]!.end("2\n");
    set.items.release();
    expect(await sending).toEqual([{ type: "accepted" }]);
    expect(set.items.messages.at(-1)!.metadata.has("http_stream_error")).toBe(false);
    expect(texts(set.items)).toEqual(["1", "2", ""]);
  });

  it.each([
    ["with the signal", true],
    ["with close", false],
  ])("that are given up %s fail their request: it is not the server that broke off", async (_, bySignal) => {
    await using set = await streaming((response) => {
      response.writeHead(200, { "content-type": "application/jsonl" }).write("1\n");
    });
    const stop = new AbortController();
    const sending = set.end.send(batchOf([request]), stop.signal);
    await set.items.collected(1);
    if (bySignal) stop.abort(new Error("grace period"));
    else await set.end.close();
    const code = bySignal ? "MQB_HTTP_GIVEN_UP" : "MQB_HTTP_CLOSED";
    expect(await sending).toMatchObject([{ type: "failed", error: { code } }]);
    expect(texts(set.items)).toEqual(["1"]);
  });

  it("end with one that says so where a later one is too large, without what the URL keeps secret", async () => {
    const open: ServerResponse[] = [];
    const serve = (response: ServerResponse): void => {
      open.push(response.writeHead(200, { "content-type": "application/jsonl" }));
      response.write("1\n");
    };
    await using set = await streaming(serve, undefined, { max_body_bytes: 50 });
    const sending = set.end.send(batchOf([request]), forever());
    await set.items.collected(1);
    open[0]!.write(`2\n${"x".repeat(100)}`);
    expect(await sending).toEqual([{ type: "accepted" }]);
    expect(texts(set.items)).toEqual(["1", "2", ""]);
    const { metadata } = set.items.messages[2]!;
    expect(metadata.get("http_stream_end")).toBe("true");
    expect(metadata.get("http_stream_error")).toMatch(/127.0.0.1.* an item is larger than 50 bytes/);
    expect(metadata.get("http_stream_error")).not.toContain("geheim");
  });

  it("fail their request with the error of whoever does not take them", async () => {
    await using set = await streaming((response) =>
      response.writeHead(200, { "content-type": "application/jsonl" }).end("1\n2\n3\n"),
    );
    set.items.failWhen((message) => (message.text() === "2" ? new MqbError("FULL", "connection", "down") : undefined));
    const [outcome] = (await set.end.send(batchOf([request]), forever()))!;
    expect(outcome?.type === "failed" && codeOf(outcome.error)).toBe("FULL");
  });

  it("are not made of a compressed answer, nor of one with a bad status", async () => {
    await using set = await streaming((response) => {
      response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/jsonl" }).end(gzipSync("1\n"));
    });
    const [compressed] = (await set.end.send(batchOf([request]), forever()))!;
    expect(compressed).toMatchObject({ type: "failed", error: { code: "MQB_HTTP_BAD_RESPONSE", kind: "permanent" } });
    await using bad = await streaming((response) => response.writeHead(503).end("busy"));
    expect((await bad.end.send(batchOf([request]), forever()))![0]).toMatchObject({ error: { code: "MQB_HTTP_BUSY" } });
    expect([set.items.messages, bad.items.messages]).toEqual([[], []]);
  });

  it("may come for longer than a request may take, as long as they come", async () => {
    const open: ServerResponse[] = [];
    const clock = new FakeClock();
    await using set = await streaming((response) => {
      response.writeHead(200, { "content-type": "application/jsonl" });
      open.push(response);
      response.write("0\n");
    }, clock);
    const sending = set.end.send(batchOf([request]), forever());
    for (let n = 1; n <= 5; n++) {
      await set.items.collected(n);
      await turns(5);
      await clock.advance(800);
      open[0]!.write(`${n}\n`);
    }
    await set.items.collected(6);
    await turns(5);
    await clock.advance(1600);
    expect(await sending).toEqual([{ type: "accepted" }]);
    expect(set.items.messages.at(-1)!.metadata.get("http_stream_error")).toMatch(/did not answer within 1000 ms/);
  });

  it("reach a stream_buffer, where they are read by their correlation id", async () => {
    await using server = await answering((_, __, response) => {
      response.writeHead(200, { "content-type": "application/jsonl" }).end("a\nb\n");
    });
    await using opened = await sink({ url: server.url, stream_response_to: { stream_buffer: { topic: "answers" } } });
    expect(await opened.end.send(batchOf([request]), forever())).toEqual([{ type: "accepted" }]);
    const reader = await opened.context.openConsumer(
      { stream_buffer: { topic: "answers", correlation_id: "c-1" } },
      "x",
    );
    const seen: string[] = [];
    while (seen.length < 3) {
      const delivery = await reader.receive(10, forever());
      for (const message of delivery.batch) seen.push(message.text());
      await delivery.commit();
    }
    await reader.close();
    expect(seen).toEqual(["a", "b", ""]);
  });
});
