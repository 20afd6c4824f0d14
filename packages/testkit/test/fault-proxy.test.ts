import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually, FaultProxy, isPending, within } from "../src/index.ts";

describe("FaultProxy", () => {
  let echo: Server;
  let proxy: FaultProxy;
  const sockets = new Set<Socket>();

  beforeEach(async () => {
    echo = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.pipe(socket);
    });
    echo.listen(0, "127.0.0.1");
    await once(echo, "listening");
    proxy = await FaultProxy.to({ host: "127.0.0.1", port: (echo.address() as { port: number }).port });
  });

  afterEach(async () => {
    await proxy.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    echo.close();
  });

  async function client(): Promise<Socket> {
    const socket = connect({ ...proxy.address, allowHalfOpen: true });
    sockets.add(socket);
    await within(once(socket, "connect"), "connecting");
    return socket;
  }

  async function say(socket: Socket, text: string): Promise<string> {
    const answer = once(socket, "data");
    socket.write(text);
    return String((await within(answer, "an answer"))[0]);
  }

  it("forwards in both directions and counts", async () => {
    const socket = await client();
    expect(await say(socket, "hello")).toBe("hello");
    expect(proxy).toMatchObject({ accepted: 1, connections: 1, bytesToServer: 5, bytesToClient: 5 });
    socket.end();
    await within(once(socket, "end"), "the end");
    await eventually(() => proxy.connections === 0, "the connection to go");
  });

  it("forwards much data unchanged", async () => {
    const socket = await client();
    const sent = Buffer.alloc(3_000_000, "0123456789");
    const got: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => got.push(chunk));
    socket.end(sent);
    await within(once(socket, "end"), "the end");
    expect(Buffer.concat(got).equals(sent)).toBe(true);
  });

  it("cut resets what is open and accepts new connections", async () => {
    const socket = await client();
    await say(socket, "hello");
    const failed = once(socket, "error");
    proxy.cut();
    expect((await within(failed, "the reset"))[0]).toMatchObject({ code: "ECONNRESET" });
    expect(await say(await client(), "again")).toBe("again");
  });

  it("stall forwards nothing until resume", async () => {
    const socket = await client();
    await say(socket, "hello");
    proxy.stall();
    const answer = once(socket, "data");
    socket.write("are you there?");
    expect(await isPending(answer, 200)).toBe(true);
    proxy.resume();
    expect(String((await within(answer, "an answer"))[0])).toBe("are you there?");
  });

  it("stall keeps bytes out of the proxy's own memory", async () => {
    const socket = await client();
    await say(socket, "hello");
    proxy.stall();
    socket.write(Buffer.alloc(32 * 1024 * 1024));
    await eventually(() => socket.writableLength > 0 && socket.bytesWritten > 5, "the client to be held back");
    expect(await isPending(once(socket, "drain"), 200)).toBe(true);
    expect(proxy.bytesToServer).toBe(5);
  });

  it("refuse has nobody listen, until accept", async () => {
    const before = await client();
    const { port } = proxy.address;
    await proxy.refuse();
    const refused = connect(proxy.address);
    expect((await within(once(refused, "error"), "the refusal"))[0]).toMatchObject({ code: "ECONNREFUSED" });
    expect(await say(before, "still here")).toBe("still here");
    await proxy.accept();
    expect(proxy.address.port).toBe(port);
    expect(await say(await client(), "back")).toBe("back");
  });

  it("refuse by reset ends new connections at once", async () => {
    await proxy.refuse("reset");
    const socket = connect(proxy.address);
    expect((await within(once(socket, "error"), "the reset"))[0]).toMatchObject({ code: "ECONNRESET" });
    await proxy.accept();
    expect(await say(await client(), "back")).toBe("back");
  });

  it("halfClose ends what the client reads and still takes what it writes", async () => {
    const socket = await client();
    await say(socket, "hello");
    const end = once(socket, "end");
    socket.resume();
    proxy.halfClose();
    await within(end, "the end");
    socket.write("one more");
    await eventually(() => proxy.bytesToServer === 13, "the bytes at the server");
  });

  it("slow holds the rate down", async () => {
    const socket = await client();
    proxy.slow(10_000);
    const started = performance.now();
    let got = 0;
    const all = new Promise<void>((resolve) => {
      socket.on("data", (chunk: Buffer) => {
        got += chunk.length;
        if (got === 2_000) resolve();
      });
    });
    socket.write(Buffer.alloc(2_000));
    await within(all, "all bytes");
    // 2000 bytes are 4 slices of 500, with a pause of 50 ms after each of the first three.
    expect(performance.now() - started).toBeGreaterThan(140);
  });

  it("passes on that the server is gone", async () => {
    const socket = await client();
    await say(socket, "hello");
    const failed = once(socket, "error");
    for (const one of sockets) if (one !== socket) one.resetAndDestroy();
    expect((await within(failed, "the reset"))[0]).toMatchObject({ code: "ECONNRESET" });
  });

  it("abandons what is open without a word, and forwards for new connections", async () => {
    const old = await client();
    await say(old, "hello");
    const answers: string[] = [];
    old.on("data", (chunk: Buffer) => answers.push(String(chunk)));
    proxy.abandon();
    old.write("are you there?");
    const other = await client();
    expect(await say(other, "hello")).toBe("hello");
    expect(answers).toEqual([]);
    expect(old.readyState).toBe("open");
    old.destroy();
    await eventually(() => proxy.connections === 1, "the abandoned connection to go");
  });

  it("gives the client what a test makes of the server's bytes", async () => {
    await using other = await FaultProxy.to(proxy.target, {
      rewrite: (bytes, { port }) => Buffer.from(String(bytes).replace("the port", String(port).padEnd(8))),
    });
    const socket = connect(other.address);
    sockets.add(socket);
    expect(await say(socket, "here: the port")).toBe(`here: ${String(other.address.port).padEnd(8)}`);
  });
});
