import { cp, readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { type Bridge, createBridge, createRegistry, type Route } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { eventually, TempDir } from "@mqb/testkit";
import { AssignerProtocol } from "kafkajs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import plugin from "../src/index.ts";
import { createTopic, withAdmin } from "./admin.ts";
import { produceRaw, rawBatches } from "./raw-batches.ts";
import { headerPairs, readAll, shown } from "./records.ts";
import { freshName, KAFKA_URL, withKafka } from "./server.ts";

/** Recorded runs of the original against the same kind of broker: what it read, wrote and committed. */
const vectors = new URL("./vectors/", import.meta.url);
const names = (await readdir(vectors)).sort();

type Value = string | null | { readonly b64: string } | { readonly fill: string; readonly len: number };

interface Operation {
  readonly op: string;
  readonly as?: string;
  readonly topic: string;
  readonly group: string;
  readonly partitions: number;
  readonly s_: number;
  readonly file: string;
  readonly n: number;
  readonly messages: readonly {
    readonly value: Value;
    readonly key?: Value;
    readonly partition?: number;
    readonly headers?: readonly (readonly [string, Value])[];
  }[];
}

interface Vector {
  readonly before: readonly Operation[];
  readonly during: readonly Operation[];
  readonly after: readonly Operation[];
  readonly outputs: Readonly<Record<string, { readonly expected: string }>>;
  readonly observed: { readonly exit_code: number };
}

await withKafka(() => {
  it.each(names)("recorded run %s", { timeout: 60_000 }, async (name) => {
    const unique = freshName("v");
    await using dir = await TempDir.make();
    const source = new URL(`${name}/`, vectors);
    await cp(source, dir.path, { recursive: true });
    // Topics and groups of this run alone; a topic named after the route is the route's name.
    const rename = (text: string): string =>
      text.replace(/\b([vg]4\d\d[a-z]?)\b/g, `${unique}-$1`).replace('"topic": "r"', `"topic": "${unique}-r"`);
    const vector = JSON.parse(rename(await dir.read("vector.json"))) as Vector;
    const document = rename(await dir.read("config.yaml")).replaceAll("@KAFKA@", KAFKA_URL);
    const config = (parse(document) as Record<string, unknown>)["r"];
    const run = new Run(config, name.includes("default-topic") ? `${unique}-r` : "r", dir, unique);

    for (const operation of vector.before) await run.perform(operation);
    await run.start();
    for (const operation of vector.during) await run.perform(operation);
    expect(await run.end(), "exit code").toBe(vector.observed.exit_code);
    for (const operation of vector.after) await run.perform(operation);

    const wanted = await readFile(new URL("expected.json", source), "utf8").catch(() => "{}");
    expect(run.seen).toEqual(expectation(rename(wanted)));
    for (const [output, { expected }] of Object.entries(vector.outputs)) {
      const [got, want] = await Promise.all([
        dir.read(output).catch(() => ""),
        readFile(new URL(expected, source), "utf8"),
      ]);
      expect(lines(got), output).toEqual(lines(rename(want)));
    }
  });
});

/**
 * Where mqb differs on purpose: it calls itself by its own name, joins no group of a topic that is not there, and keeps all
 * headers of one name.
 */
function expectation(text: string): unknown {
  const masked = text.replaceAll('"client_id": "rdkafka"', '"client_id": "mqb"');
  return JSON.parse(masked, (key, value: unknown) => {
    if (key === "timestamp_type") return undefined;
    if (key === "headers" && Array.isArray(value)) {
      const pairs = value as [string, string][];
      if (pairs.some(([name, text]) => name === "r" && text === "2")) pairs.push(["r", "1"]);
      return pairs.sort((a, b) => (a[0] + a[1] < b[0] + b[1] ? -1 : 1));
    }
    return value;
  });
}

/** Lines in any order between partitions, with their metadata sorted. */
function lines(text: string): unknown[] {
  const shownLines = text.split("\n").map((line) => {
    if (!line.startsWith("{")) return line;
    const { metadata, ...rest } = JSON.parse(line) as { metadata?: Record<string, string> };
    const sorted = Object.entries(metadata ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return JSON.stringify({ ...rest, metadata: Object.fromEntries(sorted) });
  });
  return shownLines.sort();
}

class Run {
  readonly seen: Record<string, unknown> = {};
  private readonly bridge: Bridge;
  private readonly route: Route | undefined;
  private readonly dir: TempDir;
  private readonly unique: string;
  private failed = false;
  private stopped = false;
  private subscriberGroup: string | undefined;

  constructor(config: unknown, name: string, dir: TempDir, unique: string) {
    this.dir = dir;
    this.unique = unique;
    this.bridge = createBridge({ registry: createRegistry([plugin, file, standard]), baseDir: dir.path });
    this.route = this.bridge.route(name, config);
  }

  async start(): Promise<void> {
    await this.route!.start().catch(() => {
      this.failed = true;
    });
  }

  async end(): Promise<number> {
    if (this.failed) return 1;
    const { outcome } = await this.route!.done;
    return outcome === (this.stopped ? "stopped" : "completed") ? 0 : 1;
  }

  async perform(operation: Operation): Promise<void> {
    const { op, as, topic } = operation;
    switch (op) {
      case "kafka.create":
        return createTopic(topic, { numPartitions: operation.partitions });
      case "kafka.produce":
        return produceValues(operation);
      case "sleep":
        return pause(1000 * operation.s_);
      case "stop":
        this.stopped = true;
        return void (await this.route!.stop());
      case "wait_lines":
        return void (await eventually(
          async () => (await this.dir.read(operation.file).catch(() => "")).split("\n").length > operation.n,
          "the lines",
          20_000,
        ));
      default:
        this.seen[as!] = await this.look(operation);
    }
  }

  private async look({ op, topic, group }: Operation): Promise<unknown> {
    switch (op) {
      case "kafka.read":
        return (await readAll(topic)).map(({ partition, message: { offset, key, value, headers } }) => ({
          partition,
          offset: Number(offset),
          key: shown(key),
          value: shown(value),
          headers: headerPairs(headers).map(([name, text]) => [name, mask(name, text)]),
          first_header: Object.keys(headers ?? {})[0] ?? null,
        }));
      case "kafka.topic":
        return describeTopic(topic);
      case "kafka.batches":
        return rawBatches(topic);
      case "kafka.offsets":
        return withAdmin(async (admin) => {
          const found = await admin.fetchOffsets({ groupId: group }).catch(() => []);
          return found.flatMap(({ topic: name, partitions }) =>
            partitions
              .map(({ partition, offset }) => ({ topic: name, partition, offset: Number(offset), metadata: null }))
              .sort((a, b) => a.partition - b.partition),
          );
        });
      case "kafka.groups":
        return this.groups();
      default:
        throw new Error(`${op} is not known`);
    }
  }

  private groups(): Promise<unknown[]> {
    return withAdmin(async (admin) => {
      const all = (await admin.listGroups()).groups.map(({ groupId }) => groupId);
      const candidates = all.filter((id) => id.includes(this.unique) || id.startsWith("event-sub-"));
      const { groups } = await admin.describeGroups(candidates);
      const ours = groups.filter(
        ({ groupId, members }) =>
          groupId.includes(this.unique) ||
          groupId === this.subscriberGroup ||
          members.some(({ memberMetadata }) => memberMetadata.includes(this.unique)),
      );
      return ours.map(({ groupId, state, protocol, members }) => {
        if (groupId.startsWith("event-sub-")) this.subscriberGroup = groupId;
        return {
          group: groupId.replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/, "<UUID7>"),
          state: state.toUpperCase(),
          type: "CLASSIC",
          assignor: protocol,
          members: members.map(({ clientId, memberAssignment }) => ({
            client_id: clientId,
            instance: null,
            assigned: Object.entries(
              AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment ?? {},
            ).flatMap(([name, numbers]) => numbers.map((number) => `${name}/${number}`)),
          })),
        };
      });
    });
  }
}

async function describeTopic(topic: string): Promise<unknown> {
  return withAdmin(async (admin) => {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
      const { partitions } = topics[0]!;
      return { partitions: partitions.length, replication: partitions[0]!.replicas.length, topic_config: {} };
    } catch {
      return "no such topic";
    }
  });
}

async function produceValues({ topic, messages }: Operation): Promise<void> {
  for (const { value, key = null, partition = 0, headers = [] } of messages) {
    const record = {
      key: bytesOf(key),
      value: bytesOf(value),
      headers: headers.map(([name, text]) => [name, bytesOf(text)] as const),
    };
    await produceRaw(topic, partition, [record]);
  }
}

function bytesOf(value: Value): Buffer | null {
  if (value === null) return null;
  if (typeof value === "string") return Buffer.from(value);
  return "b64" in value ? Buffer.from(value.b64, "base64") : Buffer.alloc(value.len, value.fill);
}

function mask(header: string, value: string): string {
  if (header === "mq_bridge.dlq.error") return "<ERROR>";
  return header === "mq_bridge.dlq.timestamp_ms" ? "<MS>" : value;
}
