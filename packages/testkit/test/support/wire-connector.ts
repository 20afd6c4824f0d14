import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import {
  API_VERSION,
  batchOf,
  type Consumer,
  type Delivery,
  defineEndpoint,
  definePlugin,
  type Message,
  MqbError,
  type OpenContext,
  type Plugin,
  type ProbeFinding,
  type Publisher,
  type Shared,
} from "@mqb/core/plugin";
import { ANY_CONFIG } from "../../src/index.ts";
import { fromWire, type Request, type Response, toWire } from "./wire-server.ts";

export interface WireConfig {
  readonly topic: string;
  readonly host: string;
  readonly port: number;
  /** Asks the server so often whether it is there, and takes a silence of twice that for its end [never]. */
  readonly heartbeatMs?: number;
}

export interface WireFault {
  readonly consumer?: (inner: Consumer, config: WireConfig, context: OpenContext) => Consumer;
  readonly publisher?: (inner: Publisher, config: WireConfig, context: OpenContext) => Publisher;
  /** What a broken connection is reported as. */
  readonly broken?: (reason: string) => Error;
  /** Every sink has a connection of its own. */
  readonly sharesNothing?: boolean;
  /** What a probe finds, whatever is there. */
  readonly probe?: (config: WireConfig) => Promise<readonly ProbeFinding[]>;
}

type Body<R = Request> = R extends Request ? Omit<R, "n" | "topic"> : never;

/** A connector to a `WireServer` that does everything right when the connection does not. */
export function wirePlugin(fault: WireFault = {}): Plugin {
  const broken =
    fault.broken ?? ((reason) => new MqbError("MQB_WIRE_GONE", "connection", `the server is gone: ${reason}`));
  const sinkConnection = async (config: WireConfig, context: OpenContext): Promise<Shared<Connection>> => {
    if (fault.sharesNothing) {
      const own = await Connection.open(config, broken);
      return { value: own, release: async () => own.close() };
    }
    const key = `wire ${config.host}:${config.port} ${config.topic}`;
    return context.share(
      key,
      () => Connection.open(config, broken),
      async (one) => one.close(),
    );
  };
  const wire = defineEndpoint<WireConfig>({
    description: "A broker of a test, over TCP.",
    schema: ANY_CONFIG as never,
    input: {
      capabilities: () => ({
        acknowledges: true,
        commitsInOrder: false,
        replies: false,
        stableIds: true,
        replayablePosition: false,
        bounded: false,
      }),
      async open(config, context) {
        const consumer = new WireConsumer(await Connection.open(config, broken), config);
        return fault.consumer?.(consumer, config, context) ?? consumer;
      },
    },
    output: {
      capabilities: () => ({ acknowledges: true, replies: false, orderedPublish: false, idempotent: false }),
      async open(config, context) {
        const publisher = new WirePublisher(await sinkConnection(config, context), config);
        return fault.publisher?.(publisher, config, context) ?? publisher;
      },
    },
    async probe(config) {
      if (fault.probe) return fault.probe(config);
      try {
        const connection = await Connection.open(config, broken);
        connection.close();
        return [{ check: "reachable", ok: true, detail: "the server answers" }];
      } catch (error) {
        return [{ check: "reachable", ok: false, detail: (error as Error).message }];
      }
    },
  });
  return definePlugin({ name: "reference", apiVersion: API_VERSION, endpoints: { wire } });
}

class Connection {
  private readonly socket: Socket;
  private readonly topic: string;
  private readonly broken: (reason: string) => Error;
  private readonly pending = new Map<number, { resolve(response: Response): void; reject(error: Error): void }>();
  private numbers = 0;
  private gone: Error | undefined;
  private heart: NodeJS.Timeout | undefined;

  private constructor(socket: Socket, { topic, heartbeatMs }: WireConfig, broken: (reason: string) => Error) {
    this.socket = socket;
    this.topic = topic;
    if (heartbeatMs !== undefined) this.beat(heartbeatMs);
    this.broken = broken;
    socket.on("error", (error) => this.fail(error.message));
    socket.on("close", () => this.fail("closed"));
    const lines = createInterface({ input: socket });
    // What goes wrong with the socket is told again by its reader.
    lines.on("error", () => {});
    lines.on("line", (line) => {
      const response = JSON.parse(line) as Response;
      this.pending.get(response.n)?.resolve(response);
      this.pending.delete(response.n);
    });
  }

  static open(config: WireConfig, broken: (reason: string) => Error): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: config.host, port: config.port });
      socket.once("error", (error) => reject(broken(error.message)));
      socket.once("connect", () => resolve(new Connection(socket, config, broken)));
    });
  }

  get isOpen(): boolean {
    return this.gone === undefined;
  }

  request(body: Body): Promise<Response> {
    if (this.gone) return Promise.reject(this.gone);
    const n = ++this.numbers;
    return new Promise((resolve, reject) => {
      this.pending.set(n, { resolve, reject });
      this.socket.write(`${JSON.stringify({ ...body, n, topic: this.topic })}\n`);
    });
  }

  close(): void {
    this.fail("closed by this side");
    this.socket.destroy();
  }

  private beat(everyMs: number): void {
    let heard = true;
    this.heart = setInterval(() => {
      if (!heard) {
        this.fail("it is silent");
        this.socket.destroy();
        return;
      }
      heard = false;
      this.request({ op: "put", messages: [] }).then(
        () => (heard = true),
        () => {},
      );
    }, everyMs);
  }

  private fail(reason: string): void {
    clearInterval(this.heart);
    this.gone ??= this.broken(reason);
    for (const { reject } of this.pending.values()) reject(this.gone);
    this.pending.clear();
  }
}

class WireConsumer implements Consumer {
  private readonly connection: Connection;
  private readonly config: WireConfig;
  /** Taken and not handed out yet: what came after its receive was aborted. */
  private readonly ahead: (readonly [number, Message])[] = [];
  private taking: Promise<void> | undefined;

  constructor(connection: Connection, config: WireConfig) {
    this.connection = connection;
    this.config = config;
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    if (this.ahead.length === 0 && !signal.aborted) {
      this.taking ??= this.take(max);
      await orAborted(this.taking, signal);
    }
    const tagged = signal.aborted ? [] : this.ahead.splice(0, max);
    return {
      batch: batchOf(tagged.map(([, message]) => message)),
      commit: async (dispositions) => {
        const acked: number[] = [];
        const nacked: number[] = [];
        for (const [i, [tag]] of tagged.entries()) (dispositions?.[i]?.type === "nack" ? nacked : acked).push(tag);
        if (tagged.length > 0) await this.connection.request({ op: "settle", acked, nacked });
      },
    };
  }

  async close(): Promise<void> {
    this.connection.close();
  }

  status() {
    return { healthy: this.connection.isOpen, target: this.config.topic };
  }

  private async take(max: number): Promise<void> {
    try {
      const { taken } = await this.connection.request({ op: "take", max });
      this.ahead.push(...taken!.map(([tag, message]) => [tag, fromWire(message)] as const));
    } finally {
      this.taking = undefined;
    }
  }
}

class WirePublisher implements Publisher {
  private readonly connection: Connection;
  private readonly shared: Shared<Connection>;
  private readonly config: WireConfig;

  constructor(shared: Shared<Connection>, config: WireConfig) {
    this.connection = shared.value;
    this.shared = shared;
    this.config = config;
  }

  async send(batch: Iterable<Message>, signal: AbortSignal): Promise<undefined> {
    const messages = Array.from(batch, toWire);
    if (messages.length === 0) return;
    await orAborted(this.connection.request({ op: "put", messages }), signal);
    signal.throwIfAborted();
  }

  async close(): Promise<void> {
    await this.shared.release();
  }

  status() {
    return { healthy: this.connection.isOpen, target: this.config.topic };
  }
}

/** Waits for the promise, or until the signal aborts. */
async function orAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let stop!: () => void;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
  });
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
