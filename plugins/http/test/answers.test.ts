import { Message, MqbError } from "@mqb/core/plugin";
import { CollectingPublisher, fakePlugin } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { ask, type Listening, listening, raw } from "./support.ts";

function into(sink: CollectingPublisher, input = {}, route?: object): Promise<Listening> {
  return listening(
    input,
    { sink: {} },
    { plugins: [fakePlugin({ sink: { publisher: sink } })], ...(route && { route }) },
  );
}

describe("a request is answered", () => {
  it("with 202 when the route has it", async () => {
    const sink = new CollectingPublisher();
    await using server = await into(sink);
    const answer = await ask(server.url, { body: "hello" });
    expect([answer.status, answer.text]).toEqual([202, "Message processed"]);
    expect(sink.messages.map((message) => message.text())).toEqual(["hello"]);
  });

  it("only after the sink has taken the message", async () => {
    const sink = new CollectingPublisher();
    sink.stall();
    await using server = await into(sink);
    let isAnswered = false;
    const asking = ask(server.url, { body: "slow" }).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await expect.poll(() => sink.inFlight).toBe(1);
    expect(isAnswered).toBe(false);
    sink.release();
    expect((await asking).status).toBe(202);
  });

  it("with 500 when the sink fails, and 502 for what may pass where statuses are handed on", async () => {
    const sink = new CollectingPublisher();
    sink.failAt([0], new MqbError("X", "retryable", "later"));
    await using plain = await into(sink);
    expect(await ask(plain.url)).toMatchObject({ status: 500, text: "Message processing failed" });
    await using passing = await into(sink, { pass_through_status: true });
    expect(await ask(passing.url)).toMatchObject({ status: 502, text: "Message processing failed" });
  });

  it("with 202 when its message was dropped for good, as with every source", async () => {
    const sink = new CollectingPublisher();
    sink.failAt([0], new MqbError("X", "permanent", "never"));
    await using server = await into(sink);
    expect((await ask(server.url)).status).toBe(202);
  });

  it("with the reply, its status and its headers", async () => {
    const sink = new CollectingPublisher();
    const metadata = new Map([
      ["http_status_code", "418"],
      ["content-type", "text/x"],
      ["set-cookie", "a=1\nb=2; Path=/"],
      ["x-city", "Zürich"],
      ["mqb.src.secret", "no"],
      ["connection", "upgrade"],
      ["content-length", "9999"],
      ["bad name", "x"],
      ["x-split", "a\r\nx-injected: yes"],
    ]);
    sink.replyWith(() => new Message("tea", metadata));
    await using server = await into(sink);
    const answer = await ask(server.url, { body: "coffee" });
    expect([answer.status, answer.text]).toEqual([418, "tea"]);
    expect(answer.headers).toMatchObject({ "content-type": "text/x", "set-cookie": ["a=1", "b=2; Path=/"] });
    expect(Buffer.from(String(answer.headers["x-city"]), "latin1").toString()).toBe("Zürich");
    for (const name of ["mqb.src.secret", "bad name", "x-split", "x-injected"])
      expect(answer.headers).not.toHaveProperty(name);
    expect(answer.headers["content-length"]).toBe("3");
    expect(server.log.text().match(/cannot be a header/g)).toHaveLength(1);
  });

  it("with its own message, and without its own headers unless they are asked for", async () => {
    await using quiet = await listening({}, { response: {} });
    const headers = { "x-mine": "1", "content-type": "text/plain" };
    const own = await ask(quiet.url, { body: "echo", headers });
    expect(own).toMatchObject({ status: 200, text: "echo" });
    expect(own.headers).toMatchObject({ "content-type": "text/plain" });
    expect(own.headers).not.toHaveProperty("x-mine");
    await using loud = await listening({ inline_response_fast_path: false }, { response: {} });
    expect((await ask(loud.url, { body: "echo", headers })).headers).toMatchObject({
      "x-mine": "1",
      http_method: "POST",
    });
  });

  it("with trailers, and in chunks where the reply is a stream of events", async () => {
    const sink = new CollectingPublisher();
    sink.replyWith(() => new Message("data: 1\n\n", new Map([["content-type", "text/event-stream"]])));
    await using server = await into(sink);
    const events = await ask(server.url);
    expect(events.headers["transfer-encoding"]).toBe("chunked");
    expect(events.text).toBe("data: 1\n\n");
    sink.replyWith(() => new Message("x", new Map([["http_trailer.checksum", "abc"]])));
    const trailed = await ask(server.url);
    expect(trailed.trailers).toEqual({ checksum: "abc" });
    expect(trailed.headers).not.toHaveProperty("http_trailer.checksum");
  });

  it.each([
    ["HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", /^HTTP\/1.1 200 /],
    ["POST / HTTP/1.0\r\nHost: h\r\nContent-Length: 1\r\n\r\nx", /^HTTP\/1.1 200 [\s\S]*\r\n\r\nx$/],
  ])("without trailers where none can follow: %j", async (request, wanted) => {
    const sink = new CollectingPublisher();
    sink.replyWith(() => new Message("x", new Map([["http_trailer.checksum", "abc"]])));
    await using server = await into(sink);
    const answer = (await raw(server.port, request)).toString();
    expect(answer).toMatch(wanted);
    expect(answer).not.toContain("checksum");
  });

  it("without trailers that the client has named itself", async () => {
    await using server = await listening({ inline_response_fast_path: false }, { response: {} });
    const answer = await ask(server.url, { body: "x", headers: { "http_trailer.x": "1" } });
    expect([answer.status, answer.trailers, answer.headers["content-length"]]).toEqual([200, {}, "1"]);
  });

  it("with the configured headers and the id that the client knows it by", async () => {
    const custom = { "x-served-by": "mqb", "x-city": "日本" };
    await using server = await into(new CollectingPublisher(), {
      custom_headers: custom,
      request_id_header: "X-Request-Id",
    });
    const answer = await ask(server.url, { headers: { "x-request-id": "r-1" } });
    expect(answer.headers).toMatchObject({ "x-served-by": "mqb", "x-request-id": "r-1" });
    expect(Buffer.from(String(answer.headers["x-city"]), "latin1").toString()).toBe("日本");
    expect((await ask(server.url, { method: "GET" })).headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("at once where nobody waits for the route, and not when there is no room", async () => {
    const sink = new CollectingPublisher();
    sink.stall();
    const input = { fire_and_forget: true, internal_buffer_size: 1, request_timeout_ms: 40 };
    await using server = await into(sink, input, { batch_size: 1 });
    expect(server.route.status().guarantee).toBe("at_most_once");
    const first = await ask(server.url, { body: "1" });
    expect([first.status, first.text]).toEqual([202, "Message accepted for processing"]);
    await expect.poll(() => sink.inFlight).toBe(1);
    expect((await ask(server.url, { body: "2" })).status).toBe(202);
    const third = await ask(server.url, { body: "3" });
    expect(third).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    sink.release();
    await sink.collected(2);
    expect(sink.messages.map((message) => message.text())).toEqual(["1", "2"]);
  });
});
