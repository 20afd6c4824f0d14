import { once } from "node:events";
import { type IncomingMessage, request as send } from "node:http";
import { connect as connectH2 } from "node:http2";
import { Message, MqbError } from "@mqb/core/plugin";
import { CollectingPublisher, FakeClock, fakePlugin } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { ask, bodyOf, forever, type Listening, listening, source } from "./support.ts";

function into(publisher: CollectingPublisher, input = {}, route?: object): Promise<Listening> {
  const options = { plugins: [fakePlugin({ sink: { publisher } })], ...(route && { route }) };
  return listening({ receive_streamable: true, ...input }, { sink: {} }, options);
}

const ndjson = { headers: { "content-type": "application/x-ndjson" } };
const sse = { headers: { "content-type": "text/event-stream" } };
const upper = (message: Message): Message => message.with({ payload: Buffer.from(message.text().toUpperCase()) });

describe("a body that is read while it comes", () => {
  it("becomes messages before it has ended", async () => {
    const sink = new CollectingPublisher();
    await using server = await into(sink);
    const request = send(server.url, { method: "POST", agent: false, ...ndjson });
    request.write('{"n":1}\n{"n":');
    await sink.collected(1);
    expect(sink.messages[0]!.text()).toBe('{"n":1}');
    request.end("2}\r\n");
    const [response] = (await once(request, "response")) as [IncomingMessage];
    expect([response.statusCode, (await bodyOf(response)).length]).toEqual([200, 0]);
    expect(sink.messages.map((message) => message.text())).toEqual(['{"n":1}', '{"n":2}']);
    const [a, b] = sink.messages.map(({ metadata }) => metadata);
    expect(a!.get("http_stream_id")).toBe(b!.get("http_stream_id"));
    expect([a!.get("http_stream_index"), b!.get("http_stream_index")]).toEqual(["0", "1"]);
  });

  it("is answered with the replies, in the order of its items and in its format", async () => {
    const sink = new CollectingPublisher();
    sink.replyWith(upper);
    await using server = await into(sink, {}, { concurrency: 4, batch_size: 1 });
    expect((await ask(server.url, { ...ndjson, body: "a\nb\nc\n" })).text).toBe("A\nB\nC\n");
    await using loud = await into(sink, { inline_response_fast_path: false });
    const headers = { ...ndjson.headers, "x-mine": "1" };
    expect((await ask(loud.url, { headers, body: "a\n" })).headers).toMatchObject({ "x-mine": "1" });
    const events = await ask(server.url, { ...sse, body: "event: e\ndata: x\ndata: y\n\ndata: z\n\n" });
    expect(events.text).toBe("event: e\ndata: X\ndata: Y\n\ndata: Z\n\n");
    expect((await ask(server.url, { body: "raw" })).text).toBe("RAW");
  });

  it("tells of failures: by the status where nothing was answered yet, else within the answer", async () => {
    const sink = new CollectingPublisher();
    sink.failWhen((message) => (message.text() === "bad" ? new MqbError("X", "retryable", "later") : undefined));
    await using silent = await into(sink);
    const failed = await ask(silent.url, { ...ndjson, body: "good\nbad\n" });
    expect([failed.status, failed.text]).toEqual([500, "Message processing failed: 1 of 2"]);
    sink.replyWith(upper);
    await using replying = await into(sink);
    const told = await ask(replying.url, { ...ndjson, body: "good\nbad\ngood\n" });
    expect([told.status, told.text]).toEqual([200, 'GOOD\n{"error":"Message processing failed","index":1}\nGOOD\n']);
    const events = await ask(replying.url, { ...sse, body: "data: good\n\ndata: bad\n\n" });
    expect(events.text).toBe("data: GOOD\n\nevent: error\ndata: Message processing failed\n\n");
  });

  it("tells of failures before the first reply too: in their place, or by the status where there is no place", async () => {
    const sink = new CollectingPublisher();
    sink.failWhen((message) => (message.text() === "bad" ? new MqbError("X", "retryable", "later") : undefined));
    sink.replyWith(upper);
    await using server = await into(sink);
    const lines = await ask(server.url, { ...ndjson, body: "bad\ngood\n" });
    expect(lines.text).toBe('{"error":"Message processing failed","index":0}\nGOOD\n');
    const events = await ask(server.url, { ...sse, body: "data: bad\n\ndata: good\n\n" });
    expect(events.text).toBe("event: error\ndata: Message processing failed\n\ndata: GOOD\n\n");
    await using passing = await into(sink, { pass_through_status: true });
    const request = send(passing.url, { method: "POST", agent: false });
    request.write("bad");
    await expect.poll(() => passing.route.status().accounting.nacked).toBe(1);
    request.end("good");
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const text = (await bodyOf(response)).toString();
    expect([response.statusCode, text]).toEqual([502, "Message processing failed: 1 of 2"]);
  });

  it("is answered whole when its first reply has a status without a body", async () => {
    const sink = new CollectingPublisher();
    sink.replyWith((one) =>
      one.text() === "a" ? new Message("", new Map([["http_status_code", "204"]])) : upper(one),
    );
    await using server = await into(sink);
    expect(await ask(server.url, { ...ndjson, body: "a\nb\n" })).toMatchObject({ status: 200, text: "\nB\n" });
  });

  it("is not read faster than the route takes it", async () => {
    const sink = new CollectingPublisher();
    sink.stall();
    await using server = await into(sink, { internal_buffer_size: 4 }, { batch_size: 1 });
    const request = send(server.url, { method: "POST", agent: false, ...ndjson });
    const line = `${"x".repeat(64 * 1024)}\n`;
    for (let n = 0; n < 400; n++) request.write(line);
    request.end();
    const answered = once(request, "response") as Promise<[IncomingMessage]>;
    await expect.poll(() => sink.inFlight).toBe(1);
    // What is not read waits in the sockets, and in the client.
    await expect.poll(() => server.route.status().input!.pending).toBeGreaterThanOrEqual(3);
    expect(server.route.status().input!.pending).toBeLessThan(40);
    expect(request.writableLength).toBeGreaterThan(64 * 1024);
    sink.release();
    const [response] = await answered;
    response.resume();
    await once(response, "end");
    expect(sink.messages).toHaveLength(400);
  });

  it("is not read on either while a client of HTTP/2 does not read its answer", async () => {
    await using opened = await source({ receive_streamable: true });
    const session = connectH2(`http://127.0.0.1:${opened.port}`);
    await once(session, "connect");
    const stream = session.request({ ":method": "POST", ...ndjson.headers });
    const count = 64;
    stream.end(`${"x".repeat(64 * 1024)}\n`.repeat(count));
    let seen = 0;
    const stop = new AbortController();
    const echoing = (async () => {
      while (!stop.signal.aborted) {
        const delivery = await opened.end.receive(1, stop.signal);
        seen += delivery.batch.length;
        await delivery.commit([...delivery.batch].map((message) => ({ type: "reply", message })));
      }
    })();
    for (let n = 0; n < 300; n++) await new Promise((resolve) => session.ping(resolve));
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThan(count / 2);
    stream.resume();
    await once(stream, "end");
    expect(seen).toBe(count);
    stop.abort();
    await echoing;
    session.destroy();
  });

  it("waits for a slow route, however many items have come at once", async () => {
    const clock = new FakeClock();
    await using opened = await source({ receive_streamable: true, internal_buffer_size: 2 }, clock);
    const body = "0\n1\n2\n3\n4\n5\n6\n7\n";
    const answered = ask(`http://127.0.0.1:${opened.port}`, { ...ndjson, body });
    let seen = "";
    while (seen.length < body.length) {
      const delivery = await opened.end.receive(1, forever());
      expect(opened.end.status!().pending).toBeLessThanOrEqual(2);
      // Longer than a request may wait for room, shorter than the route may take.
      await clock.advance(5000);
      for (const message of delivery.batch) seen += `${message.text()}\n`;
      await delivery.commit();
    }
    expect((await answered).status).toBe(200);
    expect(seen).toBe(body);
  });

  it("may be endless, but none of its items", async () => {
    const sink = new CollectingPublisher();
    await using server = await into(sink, { max_body_bytes: 10 });
    expect((await ask(server.url, { ...ndjson, body: "123456789\n".repeat(5) })).status).toBe(200);
    expect((await ask(server.url, { ...ndjson, body: `ok\n${"x".repeat(11)}` })).status).toBe(413);
  });
});
