import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createBridge, createRegistry, type Route } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { eventually, TempDir } from "@mqb/testkit";
import { parse } from "yaml";
import plugin from "../src/index.ts";
import { RawClient, type RawMessage } from "./raw-client.ts";
import {
  bytesOf,
  masked,
  type Operation,
  readText,
  readVector,
  shownHeaders,
  shownMessage,
  shownPayload,
  type Vector,
} from "./vector.ts";

const registry = createRegistry([plugin, standard, file]);
const services = fileURLToPath(new URL("../../../scripts/services", import.meta.url));

export interface VectorServers {
  readonly url: string;
  readonly monitor: string;
  /** `host:port` of a server that wants another password. */
  readonly guarded: string;
  /** The name that `scripts/services` has for the server, where it may be restarted. */
  readonly service?: string;
}

export interface VectorResult {
  readonly exitCode: number;
  /** By the names in `expected.json`; what differs from run to run is masked. */
  readonly seen: Readonly<Record<string, unknown>>;
  readonly files: Readonly<Record<string, string>>;
}

/** Runs a recorded configuration, with the calls of its clients. */
export async function runVector(name: string, servers: VectorServers): Promise<VectorResult> {
  await using dir = await TempDir.make();
  await using client = await RawClient.to(servers.url);
  const run = new VectorRun(name, servers, dir.path, client);
  await run.clear();
  try {
    return await run.result();
  } finally {
    await run.clear();
  }
}

class VectorRun {
  private readonly name: string;
  private readonly vector: Vector;
  private readonly servers: VectorServers;
  private readonly dir: string;
  private client: RawClient;
  private readonly seen: Record<string, unknown> = {};
  private collected: readonly RawMessage[] = [];
  private requests: readonly RawMessage[] = [];
  private routes: Route[] = [];
  private exitCode = 0;

  constructor(name: string, servers: VectorServers, dir: string, client: RawClient) {
    this.name = name;
    this.vector = readVector(name);
    this.servers = servers;
    this.dir = dir;
    this.client = client;
  }

  async result(): Promise<VectorResult> {
    for (const input of this.vector.inputs) await writeFile(join(this.dir, input), readText(this.name, input)!);
    for (const operation of this.vector.before) await this.do(operation);
    await this.client.flush();
    if (this.vector.auto_start) await this.start();
    for (const operation of this.vector.during) await this.do(operation);
    if (this.vector.during.length === 0) await this.ended();
    for (const operation of this.vector.after) await this.do(operation);
    await this.stop();
    const files: Record<string, string> = {};
    for (const output of Object.keys(this.vector.outputs)) {
      const text = await readFile(join(this.dir, output), "utf8").catch(() => undefined);
      if (text !== undefined) files[output] = text;
    }
    return { exitCode: this.exitCode, seen: JSON.parse(masked(JSON.stringify(this.seen))), files };
  }

  async clear(): Promise<void> {
    for (const stream of await this.streams()) await this.client.api(`STREAM.DELETE.${stream}`);
  }

  /** Streams that belong to the vector: others may use the server, too. */
  private async streams(): Promise<string[]> {
    const { streams } = (await this.client.api("STREAM.NAMES")) as { streams?: string[] | null };
    return (streams ?? []).filter((stream) => stream === `v${this.vector.id}`);
  }

  private async start(): Promise<void> {
    const address = this.servers.url.replace("nats://", "");
    const text = readText(this.name, "config.yaml")!.replaceAll("@NATS@", address);
    const config = parse(text.replaceAll("127.0.0.1:24224", this.servers.guarded)) as Record<string, never>;
    const bridge = createBridge({ registry, baseDir: this.dir });
    for (const route of this.vector.routes) {
      try {
        const started = bridge.route(route, config[route]!);
        this.routes.push(started);
        await started.start();
      } catch {
        this.exitCode = 1;
      }
    }
  }

  private async ended(): Promise<void> {
    if (this.exitCode !== 0) return;
    for (const { outcome } of await Promise.all(this.routes.map((route) => route.done)))
      if (outcome === "failed") this.exitCode = 1;
    this.routes = [];
  }

  private async stop(): Promise<void> {
    for (const route of this.routes.splice(0)) await route.stop();
  }

  private async do(operation: Operation): Promise<void> {
    const result = await this.outcome(operation);
    if (operation.as !== undefined) this.seen[operation.as] = result;
  }

  private async outcome(operation: Operation): Promise<unknown> {
    const { subject = "", stream = "", n = 0 } = operation;
    switch (operation.op) {
      case "start":
        return this.start();
      case "stop":
        return this.stop();
      case "wait_exit":
        return this.ended();
      case "sleep":
        return this.reached();
      case "wait_lines":
        return this.lines(operation.file!, n);
      case "service":
        await promisify(execFile)(services, ["restart", this.servers.service!]);
        return undefined;
      case "nats.reset":
        this.client = await RawClient.to(this.servers.url);
        return undefined;
      case "nats.stream_create":
        return this.client.api(`STREAM.CREATE.${operation.config!.name}`, operation.config);
      case "nats.pub":
        return this.publish(operation);
      case "nats.collect":
        this.collected = await this.client.collect(subject);
        return undefined;
      case "nats.collected":
        await eventually(() => this.collected.length >= n, `${n} messages`);
        return this.collected.map(shownMessage);
      case "nats.respond":
        // Answers nothing: what is recorded is a request that times out.
        this.requests = await this.client.collect(subject);
        return undefined;
      case "nats.requests_seen":
        return this.requests.map(shownMessage);
      case "nats.request":
        return this.request(operation);
      case "nats.streams":
        return this.streams();
      case "nats.stream":
        return this.streamInfo(stream);
      case "nats.msgs":
        return this.messages(stream);
      case "nats.consumers":
        return this.consumers(stream);
      case "nats.subs":
        return this.subscriptions();
      default:
        throw new Error(`unknown operation ${operation.op}`);
    }
  }

  /** The recorded program had a moment to subscribe, or to answer; ours is there when it has started, so answers are left. */
  private async reached(): Promise<void> {
    const { before, after } = this.vector;
    if (!before.some(({ op }) => op === "nats.collect")) return;
    const wanted = after.find(({ op }) => op === "nats.collected")?.n ?? 0;
    await eventually(() => this.collected.length >= wanted, `${wanted} messages`);
  }

  private async publish({ subject = "", payload, headers, reply }: Operation): Promise<void> {
    const given = { subject, payload: bytesOf(payload), ...(headers && { headers }) };
    this.client.publish(reply === undefined ? given : { ...given, reply });
    await this.client.flush();
  }

  private async request({ subject = "", payload, headers }: Operation): Promise<unknown> {
    const answer = await this.client.request({ subject, payload: bytesOf(payload), ...(headers && { headers }) });
    const { subject: _, ...shown } = shownMessage(answer) as { subject: string };
    return shown;
  }

  private async lines(file: string, count: number): Promise<unknown> {
    if (this.exitCode !== 0) return undefined;
    const read = () => readFile(join(this.dir, file), "utf8").catch(() => "");
    await eventually(async () => (await read()).split("\n").length > count, `${count} lines`, 20_000);
    return undefined;
  }

  private async streamInfo(stream: string): Promise<unknown> {
    const { config, state } = (await this.client.api(`STREAM.INFO.${stream}`)) as {
      config: unknown;
      state: { messages: number; first_seq: number; last_seq: number; num_subjects?: number };
    };
    const { messages, first_seq, last_seq, num_subjects = null } = state;
    return { config, messages, first_seq, last_seq, num_subjects };
  }

  private async messages(stream: string): Promise<unknown> {
    const { state } = (await this.client.api(`STREAM.INFO.${stream}`)) as {
      state: { first_seq: number; last_seq: number };
    };
    const found: unknown[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const { message } = (await this.client.api(`STREAM.MSG.GET.${stream}`, { seq })) as {
        message: { subject: string; hdrs?: string; data?: string };
      };
      const headers = message.hdrs === undefined ? undefined : Buffer.from(message.hdrs, "base64");
      const payload = shownPayload(Buffer.from(message.data ?? "", "base64"));
      found.push({ seq, subject: message.subject, headers: shownHeaders(headers), payload });
    }
    return found;
  }

  private async consumers(stream: string): Promise<unknown> {
    const { consumers = [] } = (await this.client.api(`CONSUMER.LIST.${stream}`)) as {
      consumers?: Record<string, unknown>[];
    };
    return consumers.map(({ name, config, delivered, ack_floor, ...rest }) => {
      const { num_ack_pending, num_redelivered, num_waiting, num_pending, push_bound = null } = rest;
      const shown = (config as { durable_name?: string }).durable_name === undefined ? "<EPHEMERAL>" : name;
      const counts = { num_ack_pending, num_redelivered, num_waiting, num_pending, push_bound };
      return {
        name: shown,
        config: { ...(config as object), ...(shown === name ? {} : { name: undefined }) },
        delivered,
        ack_floor,
        ...counts,
      };
    });
  }

  /** Who listens to subjects of the vector. */
  private async subscriptions(): Promise<unknown> {
    const answer = await fetch(`${this.servers.monitor}/connz?subs=detail`);
    const { connections } = (await answer.json()) as {
      connections: { subscriptions_list_detail?: { subject: string; qgroup?: string }[] }[];
    };
    return connections.flatMap(({ subscriptions_list_detail: subs = [] }) => {
      const own = subs.filter(({ subject }) => subject.startsWith(`v${this.vector.id}.`));
      return own.length === 0 ? [] : [{ subs: own.map(({ subject, qgroup }) => [subject, qgroup ?? null]) }];
    });
  }
}
