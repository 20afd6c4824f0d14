// node http.mjs [ROUNDS] [CONNECTIONS]: an HTTP echo through a route beside bare node:http, and the http sink beside bare undici.
// The other side is a process of its own each time; CPU is that of the process that is measured, which other programs on the
// machine disturb less than wall time. Build first: pnpm tsc -b plugins/http
import { fork } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { createBridge, createRegistry } from "../../packages/core/dist/index.js";
import { batchOf, Message } from "../../packages/core/dist/plugin.js";
import standard from "../../packages/standard/dist/index.js";
import http from "../../plugins/http/dist/index.js";

const SELF = fileURLToPath(import.meta.url);
const PORT = 18_470;
const BODY = Buffer.from(`{"id":1,"text":"${"x".repeat(170)}"}`);
const BATCH = 512;
const SECONDS = 0.5;

const SERVERS = {
  "node:http": bareServer,
  route: (port) => serveRoute(port, {}),
  "route, HTTP/1 only": (port) => serveRoute(port, { server_protocol: "http1_only" }),
};
const CLIENTS = { undici: bareClient, sink: sinkClient };

const [mode, ...rest] = process.argv.slice(2);
if (mode === "serve") await serve(rest[0], Number(rest[1]));
else if (mode === "ask") await answerFor(rest[0], Number(rest[1]), Number(rest[2]));
else await main(Number(mode ?? 5), Number(rest[0] ?? 64));

/** Contenders take turns, round by round; the best round of each counts, which is the least disturbed one. */
async function main(rounds, connections) {
  const servers = await Promise.all(Object.keys(SERVERS).map((name, i) => started("serve", name, PORT + i)));
  const measured = Object.keys(SERVERS).map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, server] of servers.entries()) {
      const before = await cpuOf(server);
      const { count, latencies } = await load(PORT + i, SECONDS, connections);
      const cpu = ((await cpuOf(server)) - before) / count;
      if (round > 0) measured[i].push({ perSecond: count / SECONDS, cpu, ...quantiles(latencies) });
    }
  }
  report("server", Object.keys(SERVERS), measured);
  const clients = await Promise.all(Object.keys(CLIENTS).map((name) => started("ask", name, PORT, connections)));
  const asked = Object.keys(CLIENTS).map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, client] of clients.entries()) {
      client.send(SECONDS);
      const result = await new Promise((resolve) => client.once("message", resolve));
      if (round > 0) asked[i].push(result);
    }
  }
  report("client", Object.keys(CLIENTS), asked);
  for (const child of [...servers, ...clients]) child.kill();
}

function report(kind, names, measured) {
  const best = measured.map((rounds) => ({
    perSecond: Math.max(...rounds.map((one) => one.perSecond)),
    cpu: Math.min(...rounds.map((one) => one.cpu)),
    p50: Math.min(...rounds.map((one) => one.p50 ?? 0)),
    p99: Math.min(...rounds.map((one) => one.p99 ?? 0)),
  }));
  const [floor] = best;
  for (const [i, { perSecond, cpu, p50, p99 }] of best.entries()) {
    const times = p99 ? `, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms (x ${(p99 / floor.p99).toFixed(2)})` : "";
    const ratios = `x ${(perSecond / floor.perSecond).toFixed(2)}, by CPU x ${(floor.cpu / cpu).toFixed(2)}`;
    console.log(
      `${kind} ${names[i]}: ${Math.round(perSecond)}/s, ${(cpu / 1000).toFixed(1)} us of CPU each, ${ratios}${times}`,
    );
  }
}

function started(...args) {
  const child = fork(SELF, args.map(String));
  return new Promise((resolve) => child.once("message", () => resolve(child)));
}

function cpuOf(child) {
  child.send("cpu");
  return new Promise((resolve) => child.once("message", resolve));
}

async function serve(name, port) {
  await SERVERS[name](port);
  process.on("message", () => process.send(nanoseconds()));
  process.send("ready");
}

function nanoseconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

function bareServer(port) {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
      response.end(body);
    });
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
}

async function serveRoute(port, input) {
  const bridge = createBridge({ registry: createRegistry([standard, http]) });
  const endpoint = { url: `127.0.0.1:${port}`, ...input };
  await bridge.route("echo", { input: { http: endpoint }, output: { response: {} } }).start();
}

/** Requests over so many connections, one at a time on each. Answers are told by their length, which is always the same. */
async function load(port, seconds, connections) {
  const request = Buffer.from(
    `POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  );
  const length = await lengthOfAnswer(port, request);
  const end = performance.now() + seconds * 1000;
  const latencies = [];
  let count = 0;
  await Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise((resolve, reject) => {
          const socket = connect(port, "127.0.0.1", () => socket.write(request));
          let got = 0;
          let sent = performance.now();
          socket.setNoDelay(true);
          socket.on("error", reject);
          socket.on("close", resolve);
          socket.on("data", (chunk) => {
            got += chunk.length;
            if (got < length) return;
            got -= length;
            const now = performance.now();
            latencies.push(now - sent);
            count += 1;
            if (now > end) return void socket.destroy();
            sent = now;
            socket.write(request);
          });
        }),
    ),
  );
  return { count, latencies };
}

function lengthOfAnswer(port, request) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    let text = "";
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const head = text.indexOf("\r\n\r\n");
      const size = Number(/content-length: *(\d+)/i.exec(text)?.[1]);
      if (head < 0 || text.length < head + 4 + size) return;
      socket.destroy();
      resolve(head + 4 + size);
    });
  });
}

function quantiles(times) {
  const sorted = Float64Array.from(times).sort();
  return { p50: sorted[Math.floor(sorted.length * 0.5)], p99: sorted[Math.floor(sorted.length * 0.99)] };
}

async function answerFor(name, port, connections) {
  const client = await CLIENTS[name](port, connections);
  process.on("message", async (seconds) => {
    const before = nanoseconds();
    const count = await client(seconds);
    process.send({ perSecond: count / seconds, cpu: (nanoseconds() - before) / count });
  });
  process.send("ready");
}

/** The usual loop: so many workers, each awaits its answer and reads it. */
async function bareClient(port, connections) {
  const { Pool } = createRequire(new URL("../../plugins/http/package.json", import.meta.url))("undici");
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 });
  const headers = { "content-type": "application/json" };
  return async (seconds) => {
    const end = performance.now() + seconds * 1000;
    let count = 0;
    const worker = async () => {
      while (performance.now() < end) {
        const { body } = await pool.request({ method: "POST", path: "/echo", headers, body: BODY });
        await body.arrayBuffer();
        count += 1;
      }
    };
    await Promise.all(Array.from({ length: connections }, worker));
    return count;
  };
}

async function sinkClient(port, connections) {
  const bridge = createBridge({ registry: createRegistry([standard, http]) });
  const options = { url: `http://127.0.0.1:${port}/echo`, batch_concurrency: connections };
  const publisher = await bridge.openPublisher({
    http: { ...options, custom_headers: { "content-type": "application/json" } },
  });
  const batch = batchOf(Array.from({ length: BATCH }, () => new Message(BODY)));
  return async (seconds) => {
    const end = performance.now() + seconds * 1000;
    let count = 0;
    while (performance.now() < end) {
      const outcomes = await publisher.send(batch, new AbortController().signal);
      if (outcomes.some(({ type }) => type !== "replied")) throw new Error("a request failed");
      count += BATCH;
    }
    return count;
  };
}
