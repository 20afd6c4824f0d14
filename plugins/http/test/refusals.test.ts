import { once } from "node:events";
import { connect as connectH2 } from "node:http2";
import { connect } from "node:net";
import { CollectingPublisher, fakePlugin } from "@mqb/testkit";
import { describe, expect, it, vi } from "vitest";
import { ask, type Listening, listening, raw } from "./support.ts";

const sink = new CollectingPublisher();

function into(input = {}, publisher = sink, route?: object): Promise<Listening> {
  return listening(input, { sink: {} }, { plugins: [fakePlugin({ sink: { publisher } })], ...(route && { route }) });
}

const basic = (text: string): { headers: Record<string, string> } => ({
  headers: { authorization: `Basic ${Buffer.from(text).toString("base64")}` },
});

describe("a listener refuses", () => {
  it("whoever has not the credentials", async () => {
    await using server = await into({ basic_auth: ["app", "pass:word"] });
    const without = await ask(server.url);
    expect([without.status, without.headers["www-authenticate"]]).toEqual([401, 'Basic realm="mqb", charset="UTF-8"']);
    expect((await ask(server.url, basic("app:wrong"))).status).toBe(401);
    expect((await ask(server.url, basic("app:pass:wor"))).status).toBe(401);
    expect((await ask(server.url, { headers: { authorization: "Bearer x" } })).status).toBe(401);
    expect((await ask(server.url, basic("app:pass:word"))).status).toBe(202);
    expect((await ask(server.url, { headers: { authorization: "Basic !!!" } })).status).toBe(400);
    expect((await ask(server.url, basic("nocolon"))).status).toBe(400);
    expect(server.log.text()).not.toContain("pass:word");
  });

  it("other paths and other methods", async () => {
    await using server = await into({ path: "orders", method: "post" });
    expect(await ask(`${server.url}/orders?x=1`)).toMatchObject({ status: 202 });
    expect(await ask(`${server.url}/orders/`)).toMatchObject({ status: 404 });
    expect(await ask(`${server.url}/`)).toMatchObject({
      status: 404,
      text: "No HTTP consumer registered for this path",
    });
    const other = await ask(`${server.url}/orders`, { method: "PUT", body: "x" });
    expect([other.status, other.headers.allow, other.text]).toEqual([405, "POST", "Method PUT not allowed"]);
  });

  it("a body that is too large, by its length before it is read, or while it comes", async () => {
    await using server = await into({ max_body_bytes: 10 });
    expect((await ask(server.url, { body: "0123456789" })).status).toBe(202);
    expect(await ask(server.url, { body: "0123456789a" })).toMatchObject({
      status: 413,
      text: "Request body exceeds maximum of 10 bytes",
    });
    const chunked = { "transfer-encoding": "chunked" };
    expect((await ask(server.url, { body: "0123456789a", headers: chunked })).status).toBe(413);
    const expecting = await raw(
      server.port,
      "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 11\r\n\r\n",
    );
    expect(expecting.toString()).toMatch(/^HTTP\/1.1 413 /);
  });

  it("the rest of a body on a stream of HTTP/2, which ends after a moment", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      await using server = await into({ max_body_bytes: 10 });
      const session = connectH2(server.url);
      const stream = session.request({ ":method": "POST" });
      stream.write("x".repeat(20));
      const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
      expect(headers[":status"]).toBe(413);
      const closed = once(stream.resume(), "close");
      vi.advanceTimersByTime(2000);
      await closed;
      session.destroy();
    } finally {
      vi.useRealTimers();
    }
  });

  it("codings that it does not know, and all of them where a body is read while it comes", async () => {
    await using server = await into();
    const unknown = await ask(server.url, { body: "x", headers: { "content-encoding": "compress" } });
    expect(unknown.status).toBe(415);
    expect(unknown.headers["accept-encoding"]).toContain("gzip");
    await using stream = await into({ receive_streamable: true });
    expect((await ask(stream.url, { body: "x", headers: { "content-encoding": "gzip" } })).status).toBe(415);
  });

  it("a body that does not come, with 408", async () => {
    await using server = await into({ request_timeout_ms: 30 });
    const answer = await raw(
      server.port,
      "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 5\r\n\r\nab",
    );
    expect(answer.toString()).toMatch(/^HTTP\/1.1 408 /);
  });

  it("a head that does not come", async () => {
    await using server = await into({ header_read_timeout_ms: 40 });
    const answer = await raw(server.port, "POST / HTTP/1.1\r\nHost: h\r\nX-");
    expect(answer.toString()).toMatch(/^HTTP\/1.1 408 /);
    expect((await raw(server.port, "")).length).toBe(0);
  });

  it("to wait for a route longer than it may", async () => {
    const stuck = new CollectingPublisher();
    stuck.stall();
    await using server = await into({ request_timeout_ms: 30 }, stuck);
    expect(await ask(server.url)).toMatchObject({ status: 504, text: "No reply in time" });
    stuck.release();
  });

  it("requests beyond its limit and its buffer after a moment, with the advice to come again", async () => {
    const stuck = new CollectingPublisher();
    stuck.stall();
    const input = { concurrency_limit: 1, request_timeout_ms: 60_000 };
    await using server = await into(input, stuck);
    const first = ask(server.url);
    await expect.poll(() => stuck.inFlight).toBe(1);
    const second = await ask(server.url);
    expect(second).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    stuck.release();
    expect((await first).status).toBe(202);
  });

  it("nobody who can wait until there is room", async () => {
    const stuck = new CollectingPublisher();
    stuck.stall();
    await using server = await into({ concurrency_limit: 2, internal_buffer_size: 1 }, stuck, { batch_size: 1 });
    const asking = Array.from({ length: 8 }, (_, i) => ask(server.url, { body: String(i) }));
    await expect.poll(() => stuck.inFlight).toBe(1);
    stuck.release();
    expect((await Promise.all(asking)).map((answer) => answer.status)).toEqual(Array(8).fill(202));
    expect(stuck.messages).toHaveLength(8);
  });
});

describe("a client that leaves", () => {
  it("frees its place, and what it had sent is not taken when the route has not seen it yet", async () => {
    const stuck = new CollectingPublisher();
    stuck.stall();
    await using server = await into({ concurrency_limit: 2 }, stuck, { batch_size: 1 });
    const first = ask(server.url, { body: "first" });
    await expect.poll(() => stuck.inFlight).toBe(1);
    const leaving = connect(server.port, "127.0.0.1");
    leaving.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\ngone");
    await expect.poll(() => server.route.status().input!.pending).toBe(1);
    leaving.destroy();
    await once(leaving, "close");
    await expect.poll(() => server.route.status().input!.details!["requests"]).toBe(1);
    const third = ask(server.url, { body: "third" });
    stuck.release();
    expect([(await first).status, (await third).status]).toEqual([202, 202]);
    expect(stuck.messages.map((message) => message.text())).toEqual(["first", "third"]);
  });
});
