// node nats.mjs [MESSAGES] [RUNS] [CASE…]: a file of JSON lines of 190 bytes into a stream of JetStream (out), the stream into a
// file (in), one stream into another (through): a whole process with a route, and one with a loop written by hand on the same
// driver, with the same acknowledgements, headers and batches; and the original for out and in, where bench/peers/install.sh has
// installed it. Prints messages a second and CPU seconds, medians. Needs `scripts/services up nats` and a build.
import { spawn } from "node:child_process";
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { original } from "../harness/contenders.mjs";

const URL = process.env["MQB_TEST_NATS_URL"] ?? "nats://127.0.0.1:24222";
const BATCH = 1024;
const WINDOW = 4096;
const require = createRequire(new globalThis.URL("../../plugins/nats/package.json", import.meta.url));
const nats = require("nats");

const [first = "200000", second = "3", ...rest] = process.argv.slice(2);
async function parent(total, runs, only) {
  const folder = mkdtempSync(join(tmpdir(), "mqb-bench-"));
  const [source, sink] = [join(folder, "in.jsonl"), join(folder, "out.jsonl")];
  const line = (n) =>
    JSON.stringify({ id: n, customer: `customer ${n % 1000}`, note: "x".repeat(129 - `${n}${n % 1000}`.length) });
  writeFileSync(source, Array.from({ length: total }, (_, n) => `${line(n)}\n`).join(""));
  const client = await nats.connect({ servers: URL });
  const manager = await client.jetstreamManager();
  const anew = async (stream) => {
    await manager.streams.delete(stream).catch(() => {});
    await manager.streams.add({ name: stream, subjects: [`${stream}.>`] });
  };
  const check = (text, found) => {
    if (found !== total) throw new Error(`${text}: ${found} of ${total} messages`);
  };
  const stored = async (stream) => (await manager.streams.info(stream)).state.messages;
  const lines = () => readFileSync(sink).reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
  for (const which of only.length > 0 ? only : ["out", "in", "through"]) {
    const peer = which === "through" ? undefined : theOriginal(which, source, sink);
    const names = ["loop", "route", ...(peer ? ["original"] : [])];
    const figures = Object.fromEntries(names.map((name) => [name, []]));
    for (let run = 0; run < runs; run++) {
      for (const who of names) {
        await anew("benchb");
        if (which === "out" || (run === 0 && who === "loop" && which !== "out")) await anew("bencha");
        if (which !== "out") {
          if ((await stored("bencha")) !== total) await run1("loop", "out", total, source, sink);
          for await (const { name } of manager.consumers.list("bencha")) await manager.consumers.delete("bencha", name);
        }
        rmSync(sink, { force: true });
        const figure = who === "original" ? await timed(peer.argv) : await run1(who, which, total, source, sink);
        if (which === "out") check(who, await stored("bencha"));
        if (which === "in") check(who, lines());
        if (which === "through") check(who, await stored("benchb"));
        figures[who].push(figure);
      }
    }
    const median = (list, of) => list.map(of).sort((a, b) => a - b)[Math.floor(list.length / 2)];
    const [wall, cpu] = ["wall", "cpu"].map((name) => names.map((who) => median(figures[who], (one) => one[name])));
    const rate = (seconds) => `${Math.round(total / seconds)}/s`;
    for (const [n, who] of names.entries()) {
      const against =
        n === 1
          ? ""
          : `; route is ${(wall[n] / wall[1]).toFixed(2)} times as fast, ${(cpu[n] / cpu[1]).toFixed(2)} by CPU`;
      console.log(`${which}, ${who}: ${rate(wall[n])}, ${wall[n].toFixed(2)} s, CPU ${cpu[n].toFixed(2)} s${against}`);
    }
  }
  for (const stream of ["bencha", "benchb"]) await manager.streams.delete(stream).catch(() => {});
  await client.close();
  rmSync(folder, { recursive: true });
}

/** A whole process, its start included. */
function run1(who, which, ...args) {
  return timed([process.execPath, fileURLToPath(import.meta.url), "child", `${who}-${which}`, ...args.map(String)]);
}

/** The same route in the original; undefined when it is not installed. */
function theOriginal(which, source, sink) {
  const stream = { nats: { url: URL, stream: "bencha", subject: "bencha.a" } };
  const file = (path) => ({ file: { path, format: "raw" } });
  const peer = original(`nats-${which}`, ...(which === "out" ? [file(source), stream] : [stream, file(sink)]));
  return peer.missing === undefined ? peer : undefined;
}

/** Seconds by the clock, and of user and system together, as `time` of bash says it. */
function timed(argv) {
  return new Promise((resolve, reject) => {
    const script = 'TIMEFORMAT="%R %U %S"; time "$@" >&2';
    const process_ = spawn("bash", ["-c", script, "bash", ...argv], { stdio: ["ignore", "ignore", "pipe"] });
    let text = "";
    process_.stderr.on("data", (chunk) => (text += chunk));
    process_.on("close", (code) => {
      if (code !== 0) return reject(new Error(`${argv.join(" ")} has ended with ${code}: ${text}`));
      const [wall, user, system] = text.trim().split("\n").at(-1).split(" ").map(Number);
      resolve({ wall, cpu: user + system });
    });
  });
}

async function child(name, [total, source, sink]) {
  const [who, which] = name.split("-");
  if (who === "route") await route(which, source, sink);
  else await loops[which](Number(total), source, sink);
}

async function route(which, source, sink) {
  const packages = ["packages/core", "packages/standard", "plugins/file", "plugins/nats"];
  const missing = packages.find(
    (name) => !existsSync(new globalThis.URL(`../../${name}/dist/index.js`, import.meta.url)),
  );
  if (missing) throw new Error(`${missing} is not built`);
  const [core, standard, file, plugin] = await Promise.all(
    packages.map((name) => import(`../../${name}/dist/index.js`)),
  );
  const a = { nats: { url: URL, stream: "bencha", subject: "bencha.a" } };
  const b = { nats: { url: URL, stream: "benchb", subject: "benchb.a" } };
  const input = which === "out" ? { file: { path: source, format: "raw" } } : a;
  const output = which === "out" ? a : which === "in" ? { file: { path: sink, format: "raw" } } : b;
  const bridge = core.createBridge({ registry: core.createRegistry([standard.default, file.default, plugin.default]) });
  const made = bridge.route("bench", { input, output, batch_size: BATCH, concurrency: 4, exit_on_empty: true });
  await made.start();
  const { outcome, error } = await made.done;
  if (outcome !== "completed") throw error;
}

/** The fast way to publish with the driver: one inbox for all acknowledgements. */
async function acked(client, subject) {
  const inbox = nats.createInbox();
  let [sent, done] = [0, 0];
  let wake = () => {};
  client.subscribe(`${inbox}.*`, {
    callback: (_, message) => {
      if (message.data[2] !== 115) throw new Error(message.string());
      done += 1;
      wake();
    },
  });
  const until = async (reached) => {
    while (!reached()) await new Promise((resolve) => (wake = resolve));
  };
  return {
    async publish(payload, id) {
      const headers = nats.headers();
      headers.set("mq_bridge.message_id", id);
      client.publish(subject, payload, { headers, reply: `${inbox}.${sent++}` });
      if (sent - done >= WINDOW) await until(() => sent - done <= WINDOW / 2);
    },
    all: () => until(() => sent === done),
  };
}

const loops = {
  async out(_total, source) {
    const { freshId } = await import("../../packages/core/dist/plugin.js");
    const client = await nats.connect({ servers: URL });
    const stream = await acked(client, "bencha.a");
    let left = Buffer.alloc(0);
    for await (const chunk of createReadStream(source, { highWaterMark: 256 * 1024 })) {
      const bytes = left.length > 0 ? Buffer.concat([left, chunk]) : chunk;
      let from = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
        await stream.publish(bytes.subarray(from, end), freshId().replaceAll("-", ""));
        from = end + 1;
      }
      left = bytes.subarray(from);
    }
    await stream.all();
    await client.close();
  },
  async in(total, _, sink) {
    const client = await nats.connect({ servers: URL });
    const file = createWriteStream(sink);
    const newline = Buffer.from("\n");
    await batches(client, total, async (messages) => {
      const bytes = Buffer.concat(messages.flatMap(({ data }) => [data, newline]));
      await new Promise((resolve) => file.write(bytes, resolve));
    });
    await new Promise((resolve) => file.end(resolve));
    await client.close();
  },
  async through(total) {
    const client = await nats.connect({ servers: URL });
    const stream = await acked(client, "benchb.a");
    await batches(client, total, async (messages) => {
      for (const message of messages) await stream.publish(message.data, message.headers.get("mq_bridge.message_id"));
      await stream.all();
    });
    await client.close();
  },
};

/** The driver's pull consumer, each message acknowledged behind its batch. */
async function batches(client, total, work) {
  const manager = await client.jetstreamManager();
  await manager.consumers.add("bencha", {
    durable_name: "loop",
    ack_policy: nats.AckPolicy.Explicit,
    max_ack_pending: 10_000,
  });
  const consumer = await client.jetstream().consumers.get("bencha", "loop");
  let waiting = [];
  let wake = () => {};
  const consuming = await consumer.consume({
    max_messages: 2 * BATCH,
    callback: (message) => {
      waiting.push(message);
      wake();
    },
  });
  for (let done = 0; done < total; ) {
    const wanted = Math.min(BATCH, total - done);
    while (waiting.length < wanted) await new Promise((resolve) => (wake = resolve));
    const messages = waiting.slice(0, wanted);
    waiting = waiting.slice(wanted);
    await work(messages);
    for (const message of messages) message.ack();
    await client.flush();
    done += messages.length;
  }
  await consuming.close();
}

if (first === "child") await child(second, rest);
else await parent(Number(first), Number(second), rest);
