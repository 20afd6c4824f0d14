import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { type ClientHttp2Session, connect as connectH2 } from "node:http2";
import { type RequestOptions, request as sendSecure } from "node:https";
import { connect } from "node:net";
import { CollectingPublisher, fakePlugin, testCertificates } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { ask, bodyOf, listening, raw, source } from "./support.ts";

const pem = testCertificates();
const tls = { required: true, cert_file: pem.server.cert, key_file: pem.server.key };
const ca = readFileSync(pem.ca);

interface H2Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

async function askH2(session: ClientHttp2Session, headers: Record<string, string>, body = ""): Promise<H2Answer> {
  const stream = session.request({ ":method": "POST", ":path": "/", ...headers });
  stream.end(body);
  const [got] = (await once(stream, "response")) as [Record<string, unknown>];
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  return { status: Number(got[":status"]), headers: got, text };
}

async function askSecure(port: number, options: RequestOptions): Promise<{ status: number; text: string }> {
  const request = sendSecure({ host: "localhost", port, method: "POST", agent: false, ca, ...options });
  request.end("secure");
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, text: (await bodyOf(response)).toString() };
}

describe("without TLS", () => {
  it("one port speaks HTTP/1.1 and HTTP/2 by prior knowledge", async () => {
    await using server = await listening({}, { response: {} });
    expect((await ask(server.url, { body: "one" })).text).toBe("one");
    const session = connectH2(server.url);
    const answers = await Promise.all([askH2(session, {}, "two"), askH2(session, { "x-a": "b" }, "three")]);
    expect(answers.map(({ text }) => text)).toEqual(["two", "three"]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    session.destroy();
  });

  it("HTTP/2 is told by its first bytes, however they come", async () => {
    await using server = await listening({}, { response: {} });
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    socket.setNoDelay(true);
    const sent = Promise.resolve();
    for (const part of ["P", "R", "I * HTTP/2.0\r\n\r\nSM\r\n\r\n"]) {
      await sent;
      await new Promise((resolve) => socket.write(part, resolve));
    }
    socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
    const [settings] = (await once(socket, "data")) as [Buffer];
    expect(settings[3]).toBe(4);
    socket.destroy();
  });

  it("a request that begins like the other protocol is one", async () => {
    await using server = await listening({}, { response: {} });
    const answer = await raw(server.port, "PROPFIND /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200 /);
  });

  it("http1_only and http2_only take the one that they name", async () => {
    await using one = await listening({ server_protocol: "http1_only" }, { response: {} });
    expect((await ask(one.url, { body: "x" })).text).toBe("x");
    const refused = connectH2(one.url);
    await once(refused, "error");
    await using two = await listening({ server_protocol: "http2_only" }, { response: {} });
    const session = connectH2(two.url);
    expect((await askH2(session, {}, "h2c")).text).toBe("h2c");
    session.destroy();
    await expect(ask(two.url)).rejects.toThrow();
  });

  it("metadata says which one it was, and holds no pseudo header", async () => {
    const sink = new CollectingPublisher();
    await using server = await listening({}, { sink: {} }, { plugins: [fakePlugin({ sink: { publisher: sink } })] });
    const session = connectH2(server.url);
    await askH2(session, { ":path": "/p?q=1", "x-a": "b" }, "x");
    session.destroy();
    const [message] = sink.messages;
    expect(Object.fromEntries(message!.metadata)).toEqual({
      host: `127.0.0.1:${server.port}`,
      "x-a": "b",
      http_method: "POST",
      http_path: "/p",
      http_query: "q=1",
      http_version: "HTTP/2.0",
    });
  });
});

describe("with TLS", () => {
  it("the client chooses the protocol, and metadata says what protects the connection", async () => {
    const sink = new CollectingPublisher();
    await using server = await listening(
      { tls },
      { sink: {} },
      { plugins: [fakePlugin({ sink: { publisher: sink } })] },
    );
    expect((await askSecure(server.port, {})).status).toBe(202);
    const session = connectH2(`https://localhost:${server.port}`, { ca });
    expect((await askH2(session, {}, "h2")).status).toBe(202);
    session.destroy();
    const versions = sink.messages.map(({ metadata }) => [
      metadata.get("http_version"),
      metadata.get("tls_protocol_version"),
    ]);
    expect(versions).toEqual([
      ["HTTP/1.1", "TLSv1.3"],
      ["HTTP/2.0", "TLSv1.3"],
    ]);
    expect(sink.messages[0]!.metadata.get("tls_cipher_suite")).toMatch(/^TLS_AES/);
  });

  it("a client without a certificate of the authority is turned away", async () => {
    await using server = await listening({ tls: { ...tls, ca_file: pem.ca } }, { response: {} });
    await expect(askSecure(server.port, {})).rejects.toThrow();
    const identity = { cert: readFileSync(pem.client.cert), key: readFileSync(pem.client.key) };
    expect(await askSecure(server.port, identity)).toEqual({ status: 200, text: "secure" });
  });

  it("closing does not wait for who has not finished the handshake", async () => {
    await using server = await source({ tls });
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    const closed = once(socket, "close");
    await server.end.close();
    await closed;
  });
});

describe("sharing the port between processes", () => {
  it("is refused by name where Node cannot", async () => {
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    const can = major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12);
    process.env["MQ_BRIDGE_HTTP_REUSEPORT"] = "1";
    try {
      const opening = source({});
      if (can) await (await opening).end.close();
      else await expect(opening).rejects.toMatchObject({ code: "MQB_HTTP_REUSE_PORT", kind: "config" });
    } finally {
      delete process.env["MQ_BRIDGE_HTTP_REUSEPORT"];
    }
  });
});
