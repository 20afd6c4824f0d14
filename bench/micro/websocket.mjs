// node websocket.mjs [ROUNDS] [MESSAGES]: a websocket input and output beside a bare loop on the same driver, `ws`.
// The other side is this process, the contenders are processes of their own; what counts is their CPU, which other
// programs on the machine disturb less than wall time. Build first: pnpm tsc -b plugins/websocket
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { createBridge, createRegistry } from "../../packages/core/dist/index.js";
import { batchOf, Message } from "../../packages/core/dist/plugin.js";
import standard from "../../packages/standard/dist/index.js";
import websocket from "../../plugins/websocket/dist/index.js";

const { WebSocket, WebSocketServer } = createRequire(
  fileURLToPath(import.meta.resolve("../../plugins/websocket/package.json")),
)("ws");
const SELF = fileURLToPath(import.meta.url);
const PORT = 18_570;
const PAYLOAD = Buffer.from(`{"id":1,"text":"${"x".repeat(170)}"}`);
const BATCH = 512;
const OPTIONS = { perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 };

const READERS = { "bare server": (port) => bareServer(port, false), input: (port) => serveRoute(port, { null: {} }) };
const ECHOES = {
  "bare echo": (port) => bareServer(port, true),
  "input and answer": (port) => serveRoute(port, { response: {} }),
};
const WRITERS = { "bare client": bareClient, output: sinkClient };

const [mode, ...rest] = process.argv.slice(2);
if (mode === "serve") await serve({ ...READERS, ...ECHOES }[rest[0]], Number(rest[1]));
else if (mode === "send") await send(WRITERS[rest[0]], Number(rest[1]));
else await main(Number(mode ?? 5), Number(rest[0] ?? 100_000));

/** Contenders take turns, round by round; the best round of each counts, which is the least disturbed one. */
async function main(rounds, messages) {
  await compare("in", READERS, rounds, messages, (port) => feed(port, messages, false));
  await compare("echo", ECHOES, rounds, messages, (port) => feed(port, messages, true));
  const sink = await discarding(PORT + 20);
  const children = await Promise.all(Object.keys(WRITERS).map((name) => started("send", name, PORT + 20)));
  const measured = children.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, child] of children.entries()) {
      const came = sink.expect(messages);
      const began = performance.now();
      child.send(messages);
      const [cpu] = await Promise.all([once(child, "message").then(([ns]) => ns), came]);
      if (round > 0)
        measured[i].push({ cpu: cpu / messages, perSecond: (messages / (performance.now() - began)) * 1000 });
    }
  }
  report("out", Object.keys(WRITERS), measured);
  for (const child of children) child.kill();
  process.exit();
}

async function compare(kind, contenders, rounds, messages, work) {
  const names = Object.keys(contenders);
  const children = await Promise.all(names.map((name, i) => started("serve", name, PORT + i)));
  const measured = names.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, child] of children.entries()) {
      const before = await cpuOf(child);
      const began = performance.now();
      await work(PORT + i);
      const perSecond = (messages / (performance.now() - began)) * 1000;
      const cpu = ((await cpuOf(child)) - before) / messages;
      if (round > 0) measured[i].push({ cpu, perSecond });
    }
  }
  report(kind, names, measured);
  for (const child of children) child.kill();
}

function report(kind, names, measured) {
  const best = measured.map((rounds) => ({
    perSecond: Math.max(...rounds.map((one) => one.perSecond)),
    cpu: Math.min(...rounds.map((one) => one.cpu)),
  }));
  for (const [i, { perSecond, cpu }] of best.entries()) {
    const ratios = `x ${(perSecond / best[0].perSecond).toFixed(2)}, by CPU x ${(best[0].cpu / cpu).toFixed(2)}`;
    console.log(
      `${kind} ${names[i]}: ${Math.round(perSecond)}/s, ${(cpu / 1000).toFixed(2)} us of CPU each, ${ratios}`,
    );
  }
}

function started(...args) {
  const child = fork(SELF, args.map(String));
  return new Promise((resolve) => child.once("message", () => resolve(child)));
}

function cpuOf(child) {
  child.send("cpu");
  return once(child, "message").then(([ns]) => ns);
}

function nanoseconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

async function serve(open, port) {
  await open(port);
  process.on("message", () => process.send(nanoseconds()));
  process.send("ready");
}

function bareServer(port, echoes) {
  const server = createServer();
  new WebSocketServer({ server, ...OPTIONS }).on("connection", (socket) => {
    socket.on("message", (data, binary) => {
      if (echoes) socket.send(data, { binary, compress: false });
    });
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
}

async function serveRoute(port, output) {
  const bridge = createBridge({ registry: createRegistry([standard, websocket]) });
  await bridge.route("r", { input: { websocket: { url: `127.0.0.1:${port}` } }, output }).start();
}

/** Frames as a client makes them, then a ping, whose pong says that all of them were read. With `echoes`, waits for the answers. */
async function feed(port, messages, echoes) {
  const socket = connect(port, "127.0.0.1");
  const frame = Buffer.concat([
    Buffer.from([0x81, 0xfe, PAYLOAD.length >> 8, PAYLOAD.length & 255, 0, 0, 0, 0]),
    PAYLOAD,
  ]);
  const many = Buffer.concat(Array.from({ length: BATCH }, () => frame));
  socket.write(
    "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
  );
  const [head] = await once(socket, "data");
  let wanted =
    (echoes ? messages * (PAYLOAD.length + 4) : 0) + (echoes ? 0 : 2) - (head.length - head.indexOf("\r\n\r\n") - 4);
  const done = new Promise((resolve) => {
    socket.on("data", (chunk) => {
      wanted -= chunk.length;
      if (wanted <= 0) resolve();
    });
  });
  for (let sent = 0; sent < messages; sent += BATCH) {
    const part = messages - sent < BATCH ? many.subarray(0, (messages - sent) * frame.length) : many;
    if (!socket.write(part)) await once(socket, "drain");
  }
  if (!echoes) socket.write(Buffer.from([0x89, 0x80, 0, 0, 0, 0]));
  await done;
  socket.destroy();
}

async function send(open, port) {
  const sender = await open(`ws://127.0.0.1:${port}`);
  process.on("message", async (messages) => {
    const before = nanoseconds();
    for (let sent = 0; sent < messages; sent += BATCH) await sender(Math.min(BATCH, messages - sent));
    process.send(nanoseconds() - before);
  });
  process.send("ready");
}

async function bareClient(url) {
  const socket = new WebSocket(url, OPTIONS);
  let stream;
  socket.on("upgrade", (response) => {
    stream = response.socket;
  });
  await once(socket, "open");
  return (count) =>
    new Promise((resolve) => {
      stream.cork();
      for (let i = 0; i < count; i++)
        socket.send(PAYLOAD, { binary: false, compress: false }, i === count - 1 ? resolve : undefined);
      stream.uncork();
    });
}

async function sinkClient(url) {
  const bridge = createBridge({ registry: createRegistry([standard, websocket]) });
  const publisher = await bridge.openPublisher({ websocket: { url } });
  const { signal } = new AbortController();
  return (count) => publisher.send(batchOf(Array.from({ length: count }, () => new Message(PAYLOAD))), signal);
}

/** A server that counts bytes of frames and reads nothing of them. */
async function discarding(port) {
  let left = 0;
  let resolve = () => {};
  const server = createServer();
  server.on("upgrade", (request, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${acceptOf(request)}\r\n\r\n`,
    );
    socket.on("data", (chunk) => {
      left -= chunk.length;
      if (left <= 0) resolve();
    });
    socket.on("error", () => {});
  });
  await new Promise((listening) => server.listen(port, "127.0.0.1", listening));
  return {
    expect(messages) {
      left = messages * (PAYLOAD.length + 8);
      return new Promise((done) => {
        resolve = done;
      });
    },
  };
}

function acceptOf({ headers }) {
  return createHash("sha1")
    .update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
}
