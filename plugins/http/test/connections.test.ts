import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createSecure } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { batchOf, Message, type MqbError } from "@mqb/core/plugin";
import { testCertificates } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { answering, forever, sink } from "./support.ts";

const one = batchOf([new Message("x")]);

/** A server that does what it wants with each connection. */
async function tcp(serve: (socket: Socket, n: number) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    serve(socket, sockets.push(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    sockets,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

describe("a connection", () => {
  it("is kept and used again", async () => {
    const sockets = new Set<Socket>();
    await using server = await answering((request, _, response) => {
      sockets.add(request.socket);
      response.end();
    });
    await using opened = await sink({ url: `${server.url}/a`, batch_concurrency: 1 });
    for (let i = 0; i < 10; i++) await opened.end.send(batchOf([new Message("x"), new Message("y")]), forever());
    // The driver uses a connection again in the next turn, so that two take turns.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  it("is opened for as many requests of a batch as batch_concurrency says, and no more", async () => {
    let open = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    await using server = await answering((_, __, response) => {
      most = Math.max(most, ++open);
      waiting.push(() => {
        open -= 1;
        response.end();
      });
      if (waiting.length % 4 === 0) for (const answer of waiting.splice(0)) answer();
    });
    await using opened = await sink({ url: server.url, batch_concurrency: 4 });
    const messages = Array.from({ length: 20 }, () => new Message("x"));
    expect(await opened.end.send(batchOf(messages), forever())).toHaveLength(20);
    expect(most).toBe(4);
  });

  it("that the server closes under a request is replaced where the request may be sent twice, and only once", async () => {
    const serve = (socket: Socket, n: number): void => {
      socket.once("data", () => {
        if (n === 1) socket.destroy();
        else socket.write(OK);
      });
    };
    for (const [method, type, connections] of [
      ["PUT", "replied", 2],
      ["POST", "failed", 1],
    ] as const) {
      await using server = await tcp(serve);
      await using opened = await sink({ url: server.url, method });
      const [outcome] = (await opened.end.send(one, forever()))!;
      expect([outcome!.type, server.sockets.length], method).toEqual([type, connections]);
      if (outcome!.type === "failed")
        expect(outcome!.error).toMatchObject({ code: "MQB_HTTP_UNREACHABLE", kind: "retryable" });
    }
    await using keyed = await tcp(serve);
    await using opened = await sink({ url: keyed.url, idempotency_key_header: "idempotency-key" });
    expect((await opened.end.send(one, forever()))![0]!.type).toBe("replied");
    await using always = await tcp((socket) => socket.once("data", () => socket.destroy()));
    await using stubborn = await sink({ url: always.url, method: "PUT" });
    expect((await stubborn.end.send(one, forever()))![0]!.type).toBe("failed");
    expect(always.sockets).toHaveLength(2);
  });

  it("that nobody takes is a retryable error that names the server", async () => {
    const closed = await tcp(() => {});
    await closed[Symbol.asyncDispose]();
    await using opened = await sink({ url: `${closed.url}/x` });
    const [outcome] = (await opened.end.send(one, forever()))!;
    expect(outcome).toMatchObject({ type: "failed", error: { code: "MQB_HTTP_UNREACHABLE", kind: "retryable" } });
    if (outcome!.type === "failed") expect(String(outcome!.error)).toContain(`${closed.url}/x could not be reached`);
    expect(opened.end.status!()).toMatchObject({ healthy: false });
  });

  it("that breaks within the answer is told from one that never answered", async () => {
    await using server = await tcp((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"));
    });
    await using opened = await sink({ url: server.url });
    expect((await opened.end.send(one, forever()))![0]).toMatchObject({ error: { code: "MQB_HTTP_BROKEN_OFF" } });
  });

  it.each([
    ["no answer at all", "", ""],
    ["an answer that does not end", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", ""],
    ["an answer that trickles", "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", "x"],
  ])("has a time limit: %s", async (_, start, more) => {
    await using server = await tcp((socket) => {
      socket.once("data", () => socket.write(start));
      if (more === "") return;
      const trickling = setInterval(() => socket.write(more), 5);
      socket.once("close", () => clearInterval(trickling));
    });
    await using opened = await sink({ url: server.url, request_timeout_ms: 40 });
    expect((await opened.end.send(one, forever()))![0]).toMatchObject({
      error: { code: "MQB_HTTP_TIMEOUT", kind: "retryable" },
    });
  });

  it("is given up with the signal and with close, and what is not answered has failed", async () => {
    await using server = await tcp(() => {});
    await using opened = await sink({ url: server.url, batch_concurrency: 2 });
    const many = batchOf([new Message("a"), new Message("b"), new Message("c")]);
    const stop = new AbortController();
    const first = opened.end.send(many, stop.signal);
    stop.abort(new Error("grace period"));
    expect((await first)!.map(({ type }) => type)).toEqual(["failed", "failed", "failed"]);
    const second = opened.end.send(many, forever());
    await opened.end.close();
    expect((await second)!.map(({ type }) => type)).toEqual(["failed", "failed", "failed"]);
    await expect(opened.end.send(one, forever())).rejects.toMatchObject({
      code: "MQB_HTTP_CLOSED",
      kind: "connection",
    });
  });

  it("answers with nonsense, which harms nothing but its own message", async () => {
    const answers = [
      "HTTP/9.9 what\r\n\r\n",
      "SMTP ready\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok",
    ];
    for (const answer of answers) {
      await using server = await tcp((socket) => socket.once("data", () => socket.end(answer)));
      await using opened = await sink({ url: server.url });
      expect((await opened.end.send(one, forever()))![0]!.type, answer).toBe("failed");
    }
  });
});

describe("a server with TLS", () => {
  const pem = testCertificates();

  async function secure(identity: { cert: string; key: string }, clientCa?: string) {
    const server = createSecure(
      {
        cert: readFileSync(identity.cert),
        key: readFileSync(identity.key),
        ...(clientCa && { ca: readFileSync(clientCa), requestCert: true, rejectUnauthorized: true }),
      },
      (request, response) => request.resume().on("end", () => response.end("secure")),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return {
      url: `https://localhost:${(server.address() as AddressInfo).port}`,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  it("is spoken to when its certificate is of the authority", async () => {
    await using server = await secure(pem.server);
    await using opened = await sink({ url: server.url, tls: { ca_file: pem.ca } });
    expect((await opened.end.send(one, forever()))![0]!.type).toBe("replied");
  });

  it.each([
    ["an unknown authority", pem.server, {}, "MQB_TLS_UNTRUSTED"],
    ["another name", pem.otherName, { ca_file: pem.ca }, "MQB_TLS_WRONG_NAME"],
    ["a time that is over", pem.expired, { ca_file: pem.ca }, "MQB_TLS_NOT_VALID_NOW"],
  ])("is refused for good with %s", async (_, identity, tls, code) => {
    await using server = await secure(identity);
    await using opened = await sink({ url: server.url, tls });
    const [outcome] = (await opened.end.send(one, forever()))!;
    expect((outcome as { error: MqbError }).error).toMatchObject({ code, kind: "config" });
  });

  it("is shown a certificate where it asks for one", async () => {
    await using server = await secure(pem.server, pem.ca);
    const identity = { cert_file: pem.client.cert, key_file: pem.encryptedKey, cert_password: pem.keyPassword };
    await using opened = await sink({ url: server.url, tls: { ca_file: pem.ca, ...identity } });
    expect((await opened.end.send(one, forever()))![0]!.type).toBe("replied");
  });
});
