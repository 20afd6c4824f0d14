import { once } from "node:events";
import { type AddressInfo, createServer, Socket } from "node:net";
import { expect, it, vi } from "vitest";
import { connect } from "../../src/cdc/server/connection.ts";

it("a server without a place for another stream is asked again, and how to make room is said", async () => {
  const keepAlive = vi.spyOn(Socket.prototype, "setKeepAlive");
  const fields = Buffer.from("SFATAL\0C53300\0Mall places are taken\0\0");
  const refusal = Buffer.concat([Buffer.from("E\0\0\0\0"), fields]);
  refusal.writeUInt32BE(4 + fields.length, 1);
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => socket.end(refusal));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `postgres://u@127.0.0.1:${(server.address() as AddressInfo).port}/d?sslmode=disable`;
  const context = { path: "input", baseDir: "/", signal: new AbortController().signal };
  await expect(connect({ url }, context, true)).rejects.toMatchObject({
    code: "MQB_POSTGRES_NO_SENDER",
    kind: "connection",
    message: expect.stringContaining("all places are taken"),
    hint: expect.stringContaining("max_wal_senders"),
  });
  await expect(connect({ url }, context, false)).rejects.toMatchObject({ code: "MQB_SQL_LOST", kind: "connection" });
  expect(keepAlive).toHaveBeenCalledWith(true, 10_000);
  keepAlive.mockRestore();
  server.close();
});
