import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { BrokerConnection } from "../src/client/broker.ts";
import { loadDriver } from "../src/driver/driver.ts";

const PRODUCE = { apiKey: 0, name: "Produce", version: 7, answers: false };
const MANY = 32 * 1024 * 1024;
/** More than the system takes at once, and little enough to leave within a second on a busy machine. */
const SOME = 8 * 1024 * 1024;

/** Says that it knows nothing but Produce, and then either counts what comes or reads no more. */
async function broker(reads: boolean, requestTimeoutMs: number) {
  let received = 0;
  let ended: (bytes: number) => void;
  const total = new Promise<number>((resolve) => {
    ended = resolve;
  });
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("close", () => ended(received));
    socket.once("data", (request) => {
      const answer = Buffer.from("00000010".concat("00000000", "0000", "00000001", "000000000007"), "hex");
      request.copy(answer, 4, 8, 12);
      socket.write(answer);
      if (!reads) socket.pause();
      else socket.on("data", (bytes) => (received += bytes.length));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const settings = {
    brokers: [],
    clientId: "test",
    connectTimeoutMs: 5000,
    requestTimeoutMs,
    metadataMaxAgeMs: 5000,
    socket: { keepAlive: true, noDelay: true, family: 0 as const },
  };
  const { port } = server.address() as AddressInfo;
  const options = { driver: await loadDriver(), settings };
  const connection = await BrokerConnection.open({ host: "127.0.0.1", port }, options, new AbortController().signal);
  return {
    connection,
    total,
    async [Symbol.asyncDispose]() {
      connection.close();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

describe("a request that has no answer", () => {
  it("is done when the system has its bytes, so that none are lost when the connection is closed", async () => {
    await using it = await broker(true, 10_000);
    await it.connection.raw({ ...PRODUCE, body: [Buffer.alloc(MANY)] });
    it.connection.close();
    expect(await it.total).toBeGreaterThan(MANY);
  });

  it("still leaves when the connection is closed before it has", async () => {
    await using it = await broker(true, 10_000);
    const sent = it.connection.raw({ ...PRODUCE, body: [Buffer.alloc(SOME)] });
    it.connection.close();
    await sent;
    expect(await it.total).toBeGreaterThan(SOME);
  });

  it("fails, and the connection with it, when nobody reads for as long as an answer may take", async () => {
    await using it = await broker(false, 100);
    const sent = it.connection.raw({ ...PRODUCE, body: [Buffer.alloc(MANY)] });
    await expect(sent).rejects.toMatchObject({ code: "MQB_KAFKA_REQUEST_FAILED", kind: "connection" });
    expect(it.connection.isLost).toBe(true);
  });
});
