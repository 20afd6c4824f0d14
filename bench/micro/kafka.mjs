// node kafka.mjs [ROWS] [URL]: routes out of Kafka, into it and through it beside loops written by hand on kafkajs, with the same
// acks, codec and batches. Each contender is a process of its own; CPU is that of the process, which other programs on the machine
// disturb less than wall time. Then the same by whole processes: the command beside the original (bench/peers/install.sh), from
// start to exit. Build first: pnpm build; a broker: scripts/services up kafka
import { execFile, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createReadStream, existsSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createBridge, createRegistry } from "../../packages/core/dist/index.js";
import file from "../../plugins/file/dist/index.js";
import kafka from "../../plugins/kafka/dist/index.js";
import { original, oursRun } from "../harness/contenders.mjs";

const SELF = fileURLToPath(import.meta.url);
const MEASURE = fileURLToPath(new URL("../measure.py", import.meta.url));
const PLUGIN = fileURLToPath(new URL("../../plugins/kafka/dist/index.js", import.meta.url));
const require = createRequire(new URL("../../plugins/kafka/package.json", import.meta.url));
const { Kafka, CompressionCodecs, CompressionTypes, logLevel } = require("kafkajs");
const ROWS = Number(process.argv[2] ?? 200_000);
const URL_ = process.argv[3] ?? process.env.MQB_TEST_KAFKA_URL ?? "127.0.0.1:28092";
const BATCH = 1024;
const PARTITIONS = 6;
const lz4 = createRequire(new URL("../../packages/formats/package.json", import.meta.url))("lz4-napi");

CompressionCodecs[CompressionTypes.LZ4] = () => ({
  compress: async ({ buffer }) => lz4.compressFrameSync(buffer),
  decompress: async (bytes) => lz4.decompressFrameSync(bytes),
});

const CASES = {
  "file -> kafka": { floor: produceByHand, route: fileToKafka },
  "kafka -> file": { floor: consumeByHand, route: kafkaToFile },
  "kafka -> kafka": { floor: throughByHand, route: kafkaToKafka },
};

const client = () => new Kafka({ brokers: [URL_], clientId: "bench", logLevel: logLevel.NOTHING });

if (process.send) process.once("message", (job) => work(job));
else await main();

async function main() {
  const data = join(tmpdir(), `mqb-bench-kafka-${ROWS}.jsonl`);
  if (!existsSync(data)) {
    const pad = randomBytes(60).toString("hex");
    const row = (n) => JSON.stringify({ id: n, name: `customer ${n}`, amount: (n * 7) % 1000, note: pad });
    writeFileSync(data, `${Array.from({ length: ROWS }, (_, n) => row(n)).join("\n")}\n`);
  }
  const filled = await topic();
  await run("file -> kafka", "route", { data, to: filled });
  for (const name of Object.keys(CASES)) {
    const results = {};
    // In turn, the first round warms up.
    for (let round = 0; round < 3; round++) {
      for (const who of ["floor", "route"]) {
        const job = { data, from: filled, to: await topic(), group: randomBytes(6).toString("hex") };
        const result = await run(name, who, job);
        if (round > 0) (results[who] ??= []).push(result);
      }
    }
    for (const who of ["floor", "route"]) {
      const [ms, cpu] = ["ms", "cpu"].map((key) => median(results[who].map((one) => one[key])));
      const [floorMs, floorCpu] = ["ms", "cpu"].map((key) => median(results.floor.map((one) => one[key])));
      const rss = Math.max(...results[who].map((one) => one.rss)) >> 20;
      const ratios = `x ${(floorMs / ms).toFixed(2)}, by CPU x ${(floorCpu / cpu).toFixed(2)}`;
      console.log(
        `${name}, ${who}: ${Math.round((1000 * ROWS) / ms)}/s, ${ms.toFixed(0)} ms, ${cpu.toFixed(0)} ms of CPU, ${rss} MiB, ${ratios}`,
      );
    }
  }
  await wholeProcesses(data, filled);
}

/** The same routes by the command and by the original, each as a process of its own from start to exit. */
async function wholeProcesses(data, filled) {
  const path = join(tmpdir(), `mqb-bench-kafka-${process.pid}.jsonl`);
  const group = () => randomBytes(6).toString("hex");
  const from = () => ({ kafka: { url: URL_, topic: filled, group_id: group() } });
  const pairs = {
    "file -> kafka": async () => [{ file: { path: data, format: "raw" } }, sink({ to: await topic() })],
    "kafka -> file": () => [from(), { file: { path, format: "raw" } }],
    "kafka -> kafka": async () => [from(), sink({ to: await topic() })],
  };
  for (const [name, make] of Object.entries(pairs)) {
    const results = {};
    for (let round = 0; round < 3; round++) {
      for (const contender of [original, oursRun]) {
        const { name: who, argv, missing } = contender("bench-kafka", ...(await make()));
        if (contender === oursRun) argv.push("--plugin", PLUGIN);
        if (missing) {
          console.log(`${name}, ${who}: ${missing}`);
          continue;
        }
        rmSync(path, { force: true });
        const result = JSON.parse((await promisify(execFile)("python3", [MEASURE, ...argv])).stdout);
        if (result.code !== 0) throw new Error(`${name}, ${who} ended with ${result.code}: ${result.text}`);
        if (round > 0) (results[who] ??= []).push(result);
      }
    }
    for (const [who, those] of Object.entries(results)) {
      const [wall, cpu] = [median(those.map((one) => one.wall)), median(those.map((one) => one.user + one.sys))];
      const beside = results.original;
      const ratios = beside
        ? `x ${(median(beside.map((one) => one.wall)) / wall).toFixed(2)}, by CPU x ${(median(beside.map((one) => one.user + one.sys)) / cpu).toFixed(2)}`
        : "";
      const rss = Math.max(...those.map((one) => one.rss)) >> 20;
      console.log(
        `${name}, whole process, ${who}: ${wall.toFixed(2)} s, ${cpu.toFixed(2)} s of CPU, ${rss} MiB, ${ratios}`,
      );
    }
  }
  rmSync(path, { force: true });
}

async function topic() {
  const name = `bench-${randomBytes(6).toString("hex")}`;
  const admin = client().admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: name, numPartitions: PARTITIONS }], waitForLeaders: true });
  await admin.disconnect();
  return name;
}

function run(name, who, job) {
  const child = fork(SELF, [String(ROWS), URL_]);
  child.send({ name, who, ...job });
  return new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`${name}, ${who} ended with ${code}`)));
  });
}

async function work({ name, who, ...job }) {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await CASES[name][who](job);
  const { user, system } = process.cpuUsage(cpu);
  process.send(
    { ms: performance.now() - began, cpu: (user + system) / 1000, rss: process.resourceUsage().maxRSS * 1024 },
    () => process.exit(0),
  );
}

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1];
}

async function route(config) {
  const registry = createRegistry([kafka, file]);
  const one = createBridge({ registry }).route("bench", { exit_on_empty: true, batch_size: BATCH, ...config });
  await one.start();
  const { outcome, error, accounting } = await one.done;
  if (outcome !== "completed" || accounting.delivered !== ROWS) throw error ?? new Error(JSON.stringify(accounting));
}

function source({ from, group }) {
  return { kafka: { url: URL_, topic: from, group_id: group } };
}

function sink({ to }) {
  return { kafka: { url: URL_, topic: to } };
}

function fileToKafka(job) {
  return route({ input: { file: { path: job.data, format: "raw" } }, output: sink(job) });
}

function kafkaToFile(job) {
  const path = join(tmpdir(), `mqb-bench-kafka-${process.pid}.jsonl`);
  return route({ input: source(job), output: { file: { path, format: "raw" } } }).finally(() =>
    rmSync(path, { force: true }),
  );
}

function kafkaToKafka(job) {
  return route({ input: source(job), output: sink(job) });
}

/** Batches of rows with keys and the id header that the sink writes, each waited for. */
async function produceByHand({ data, to }) {
  const send = await producer(to);
  let messages = [];
  for await (const line of createInterface({ input: createReadStream(data), crlfDelay: Number.POSITIVE_INFINITY })) {
    messages.push({ value: Buffer.from(line) });
    if (messages.length === BATCH) {
      await send(messages);
      messages = [];
    }
  }
  if (messages.length > 0) await send(messages);
  await send.end();
}

async function producer(to) {
  const made = client().producer({ idempotent: true, maxInFlightRequests: 5, allowAutoTopicCreation: false });
  await made.connect();
  let partition = 0;
  const send = (messages) =>
    made.send({
      topic: to,
      acks: -1,
      compression: CompressionTypes.LZ4,
      messages: messages.map(({ value }) => {
        const id = randomBytes(16);
        const headers = { "mq_bridge.message_id": Buffer.from(id.toString("hex")) };
        return { key: id, value, headers, partition: partition++ % PARTITIONS };
      }),
    });
  send.end = () => made.disconnect();
  return send;
}

async function consume({ from, group }, each) {
  const consumer = client().consumer({ groupId: group, maxWaitTimeInMs: 200 });
  await consumer.connect();
  await consumer.subscribe({ topic: from, fromBeginning: true });
  let left = ROWS;
  await new Promise((resolve, reject) => {
    consumer
      .run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: async ({ batch, resolveOffset }) => {
          for (let at = 0; at < batch.messages.length; at += BATCH) await each(batch.messages.slice(at, at + BATCH));
          resolveOffset(batch.lastOffset());
          const offset = String(BigInt(batch.lastOffset()) + 1n);
          await consumer.commitOffsets([{ topic: batch.topic, partition: batch.partition, offset }]);
          left -= batch.messages.length;
          if (left === 0) resolve();
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
}

async function consumeByHand(job) {
  const { open } = await import("node:fs/promises");
  const path = join(tmpdir(), `mqb-bench-kafka-${process.pid}.jsonl`);
  const handle = await open(path, "w");
  const newline = Buffer.from("\n");
  await consume(job, (messages) => handle.write(Buffer.concat(messages.flatMap(({ value }) => [value, newline]))));
  await handle.close();
  rmSync(path);
}

async function throughByHand(job) {
  const send = await producer(job.to);
  await consume(job, send);
  await send.end();
}
