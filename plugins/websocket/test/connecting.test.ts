import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createNetServer } from "node:net";
import { batchOf, type Clock, Message } from "@mqb/core/plugin";
import { fakeContext, testCertificates, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { WebSocketConfig } from "../src/schema.ts";
import { freePort, Hub, listening, never, openOutput } from "./support.ts";

const files = testCertificates();

async function failure(config: WebSocketConfig): Promise<unknown> {
  return openOutput(config, fakeContext<Clock>({})).then(
    () => "connected",
    (error: unknown) => error,
  );
}

/** A server of HTTP that answers every request in its way. */
async function answering(answer: RequestListener): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    url: `ws://user:geheim@127.0.0.1:${port}/feed?token=geheim`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

describe("an output that cannot connect", () => {
  const answers: readonly [status: number, code: string, kind: string][] = [
    [401, "MQB_WEBSOCKET_CREDENTIALS", "config"],
    [403, "MQB_WEBSOCKET_CREDENTIALS", "config"],
    [302, "MQB_WEBSOCKET_REDIRECT", "config"],
    [200, "MQB_WEBSOCKET_NO_UPGRADE", "connection"],
    [404, "MQB_WEBSOCKET_NO_UPGRADE", "connection"],
    [503, "MQB_WEBSOCKET_NO_UPGRADE", "connection"],
  ];

  it.each(answers)("says what a server meant with HTTP %i, and shows no password", async (status, code, kind) => {
    const { url, stop } = await answering((_, response) => {
      response.writeHead(status, { location: "ws://elsewhere/" }).end();
    });
    const error = await failure({ url });
    expect(error).toMatchObject({ code, kind, message: expect.stringContaining(String(status)) });
    expect(String((error as Error).stack)).not.toContain("geheim");
    await stop();
  });

  it("shows of the place that a server names neither its login nor its query", async () => {
    const { url, stop } = await answering((_, response) => {
      response.writeHead(302, { location: "wss://me:geheim@elsewhere/feed?token=geheim#geheim" }).end();
    });
    const error = (await failure({ url })) as Error;
    expect(error.message).toContain("@elsewhere/feed?…");
    expect(String(error.stack)).not.toContain("geheim");
    await stop();
  });

  it.each([
    "ws://me:ge/geheim@host:99999/x",
    "ws://me:ge?geheim@host:99999/x",
    "ws://me:ge#geheim@host:99999/x",
    "ws://me:ge@geheim@host:99999/x",
    "me:geheim@host",
  ])("shows no password of a url that cannot be read: %s", async (url) => {
    const error = (await failure({ url })) as Error;
    expect(error.message).toContain("…@host");
    expect(String(error.stack)).not.toContain("geheim");
  });

  it("says that nobody listens", async () => {
    const url = `ws://127.0.0.1:${await freePort()}`;
    expect(await failure({ url })).toMatchObject({
      code: "MQB_WEBSOCKET_UNREACHABLE",
      kind: "connection",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("is unreachable when the server hangs up in the handshake", async () => {
    const server = createNetServer((socket) => socket.destroy());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    expect(await failure({ url: `ws://127.0.0.1:${port}` })).toMatchObject({ kind: "connection" });
    server.close();
  });

  it("stops connecting with the signal of its opening", async () => {
    const server = createNetServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const stop = new AbortController();
    const connected = once(server, "connection");
    const opening = openOutput({ url: `ws://127.0.0.1:${port}` }, fakeContext<Clock>({ signal: stop.signal }));
    const [socket] = await connected;
    stop.abort(new Error("the start is given up"));
    await expect(within(opening, "the end of the opening")).rejects.toThrow("the start is given up");
    socket.destroy();
    server.close();
  });
});

describe("TLS of an output", () => {
  const { server, ca, otherCa, client } = files;
  const listener = { cert_file: server.cert, key_file: server.key };

  const cases: readonly [name: string, input: object, output: object, host: string, expected: object][] = [
    ["is refused without the authority", listener, {}, "localhost", { code: "MQB_TLS_UNTRUSTED", kind: "config" }],
    ["is refused with another authority", listener, { ca_file: otherCa }, "localhost", { code: "MQB_TLS_UNTRUSTED" }],
    [
      "is refused for another name",
      { cert_file: files.otherName.cert, key_file: files.otherName.key },
      { ca_file: ca },
      "localhost",
      { code: "MQB_TLS_WRONG_NAME", kind: "config" },
    ],
    [
      "is refused for an expired certificate",
      { cert_file: files.expired.cert, key_file: files.expired.key },
      { ca_file: ca },
      "localhost",
      { code: "MQB_TLS_NOT_VALID_NOW", kind: "config" },
    ],
  ];

  it.each(cases)("%s", async (_, input, output, host, expected) => {
    const { consumer, url } = await listening({ tls: { ...input, required: true } });
    const port = url.split(":").at(-1)!;
    expect(await failure({ url: `wss://${host}:${port}`, tls: output })).toMatchObject(expected);
    await consumer.close();
  });

  it("connects with the authority, an address in its certificate, or when anybody is to be trusted", async () => {
    const { consumer, url } = await listening({ tls: { ...listener, required: true } });
    const port = url.split(":").at(-1)!;
    for (const [host, tls] of [
      ["localhost", { ca_file: ca }],
      ["127.0.0.1", { ca_file: ca, required: true }],
      ["127.0.0.1", { accept_invalid_certs: true }],
    ] as const) {
      const publisher = await openOutput({ url: `wss://${host}:${port}`, tls }, fakeContext<Clock>({}));
      await publisher.send(batchOf([new Message(host)]), never());
      expect((await consumer.receive(1, never())).batch.at(0).text()).toBe(host);
      await publisher.close();
    }
    await consumer.close();
  });

  it("is mutual with a ca_file on the input: only clients with a certificate of it get in, also with an encrypted key", async () => {
    const { consumer, url } = await listening({ tls: { ...listener, ca_file: ca, required: true } });
    const wss = `wss://localhost:${url.split(":").at(-1)}`;
    const tls = { ca_file: ca, cert_file: client.cert, key_file: files.encryptedKey, cert_password: files.keyPassword };
    const publisher = await openOutput({ url: wss, tls }, fakeContext<Clock>({}));
    await publisher.send(batchOf([new Message("known")]), never());
    expect((await consumer.receive(1, never())).batch.at(0).text()).toBe("known");
    expect(await failure({ url: wss, tls: { ca_file: ca } })).toMatchObject({
      code: "MQB_TLS_REFUSED",
      kind: "config",
    });
    await publisher.close();
    await consumer.close();
  });

  it("is told from a server that speaks none", async () => {
    await using hub = await Hub.start();
    expect(await failure({ url: hub.url.replace("ws:", "wss:"), tls: { ca_file: ca } })).toMatchObject({
      code: "MQB_TLS_NOT_TLS",
      kind: "config",
    });
  });
});

describe("an output that is connected", () => {
  it("says once that it reads nothing of what the server sends", async () => {
    await using hub = await Hub.start();
    const context = fakeContext<Clock>({});
    const publisher = await openOutput({ url: hub.url }, context);
    const server = await hub.first();
    for (const text of ["a", "b"]) server.socket.send(text);
    await publisher.send(batchOf([new Message("x")]), never());
    server.socket.ping();
    await within(once(server.socket, "pong"), "a pong");
    expect(publisher.status!().details).toMatchObject({ ignored: 2 });
    expect(JSON.stringify(context.log).split("a websocket output reads none")).toHaveLength(2);
    await publisher.close();
  });

  it("fails with the close code of the server, at once and later", async () => {
    await using hub = await Hub.start();
    const publisher = await openOutput({ url: hub.url }, fakeContext<Clock>({}));
    const server = await hub.first();
    server.socket.close(1013, "come back later");
    await within(server.closed, "the close");
    for (let i = 0; i < 2; i++) {
      await expect(publisher.send(batchOf([new Message("x")]), never())).rejects.toMatchObject({
        code: "MQB_WEBSOCKET_CUT",
        kind: "connection",
        message: expect.stringMatching(/1013 \(come back later\)/),
      });
    }
    expect(publisher.status!()).toMatchObject({ healthy: false });
    await publisher.close();
  });

  it("closes with 1000 behind what it has sent", async () => {
    await using hub = await Hub.start();
    const publisher = await openOutput({ url: hub.url }, fakeContext<Clock>({}));
    const server = await hub.first();
    await publisher.send(batchOf([new Message("the last words")]), never());
    await publisher.close();
    expect(await within(server.closed, "the close")).toMatchObject({ code: 1000 });
    expect(await server.texts(1)).toEqual(["the last words"]);
    await expect(publisher.send(batchOf([new Message("x")]), never())).rejects.toMatchObject({ kind: "connection" });
  });
});
