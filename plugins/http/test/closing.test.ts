import { once } from "node:events";
import { connect as connectH2 } from "node:http2";
import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import { Message } from "@mqb/core/plugin";
import { CollectingPublisher, fakePlugin } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { ask, forever, listening, source } from "./support.ts";

const head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n";

async function client(port: number, bytes: string) {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(bytes);
  const closed = new Promise((resolve) => socket.once("close", resolve)).then(() => Buffer.concat(chunks).toString());
  return { socket, closed };
}

describe("a source that is closed", () => {
  it("answers what it has accepted and ends every connection: idle, silent, slow or waiting", async () => {
    await using opened = await source({ server_protocol: "auto" });
    const { end, port } = opened;
    const idle = await client(port, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    const delivery = await end.receive(10, forever());
    await delivery.commit();
    await once(idle.socket, "data");
    const silent = await client(port, "");
    const half = await client(port, "POST / HTT");
    const slow = await client(port, `${head}a`);
    const waiting = await client(port, `${head}ab`);
    await expect.poll(() => end.status!().pending).toBe(1);
    await end.close();
    for (const one of [idle, silent, half]) await one.closed;
    expect(await slow.closed).toMatch(/^HTTP\/1.1 503 /);
    expect(await waiting.closed).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: 1/i);
  });

  it("answers what the route has not settled, and a late commit says that it came too late", async () => {
    await using opened = await source({});
    const { end, port } = opened;
    const one = await client(port, `${head}ab`);
    const delivery = await end.receive(10, forever());
    expect(delivery.batch.length).toBe(1);
    await end.close();
    expect(await one.closed).toMatch(/^HTTP\/1.1 503 /);
    await expect(delivery.commit()).rejects.toMatchObject({ code: "MQB_HTTP_GONE", kind: "connection" });
    await expect(end.receive(1, forever())).rejects.toMatchObject({ code: "MQB_HTTP_CLOSED" });
  });

  it("says what was answered with 202 and is lost", async () => {
    await using opened = await source({ fire_and_forget: true });
    const one = await client(opened.port, `${head}ab`);
    await expect.poll(() => opened.end.status!().pending).toBe(1);
    await opened.end.close();
    expect(await one.closed).toMatch(/^HTTP\/1.1 202 /);
    expect(opened.log.text()).toContain("1 request(s) that were answered with 202 are lost");
  });

  it("lets a compressed answer out that its delivery has committed", async () => {
    const opened = await source({ compression_enabled: true });
    const text = "a text that is worth it ".repeat(50_000);
    const asking = ask(`http://127.0.0.1:${opened.port}`, { headers: { "accept-encoding": "gzip" } });
    const delivery = await opened.end.receive(1, forever());
    await delivery.commit([{ type: "reply", message: new Message(text) }]);
    await opened.end.close();
    const answer = await asking;
    expect([answer.status, answer.headers["content-encoding"]]).toEqual([200, "gzip"]);
    expect(gunzipSync(answer.bytes).toString()).toBe(text);
  });

  it("ends streams of HTTP/2", async () => {
    await using opened = await source({});
    const session = connectH2(`http://127.0.0.1:${opened.port}`);
    const stream = session.request({ ":method": "POST" });
    stream.end("x");
    stream.resume();
    const response = once(stream, "response") as Promise<[Record<string, unknown>]>;
    await opened.end.receive(1, forever());
    const closed = once(session, "close");
    await opened.end.close();
    expect((await response)[0][":status"]).toBe(503);
    await closed;
  });

  it("lets a route that stops finish what it works on", async () => {
    const sink = new CollectingPublisher();
    sink.stall();
    await using server = await listening({}, { sink: {} }, { plugins: [fakePlugin({ sink: { publisher: sink } })] });
    const asking = ask(server.url, { body: "last" });
    await expect.poll(() => sink.inFlight).toBe(1);
    const stopping = server.route.stop();
    sink.release();
    expect((await asking).status).toBe(202);
    expect((await stopping).outcome).toBe("stopped");
  });
});
