import { once } from "node:events";
import { createServer } from "node:net";
import type { Clock, Consumer, Message, Publisher } from "@mqb/core/plugin";
import { eventually, type FakeContext, fakeContext, within } from "@mqb/testkit";
import { type ClientOptions, WebSocket, WebSocketServer } from "ws";
import plugin from "../src/index.ts";
import { type WebSocketConfig, websocketSchema } from "../src/schema.ts";

const definition = plugin.endpoints!["websocket"]!;

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" ? address!.port : 0;
}

export async function openInput(config: WebSocketConfig, context: FakeContext<Clock>): Promise<Consumer> {
  return definition.input!.open(websocketSchema.parse(config), context);
}

export async function openOutput(config: WebSocketConfig, context: FakeContext<Clock>): Promise<Publisher> {
  return definition.output!.open(websocketSchema.parse(config), context);
}

/** An input on a free port, with the URL that clients connect to. */
export async function listening(
  config: Partial<WebSocketConfig> = {},
  context: FakeContext<Clock> = fakeContext<Clock>({}),
): Promise<{ readonly consumer: Consumer; readonly url: string; readonly context: FakeContext<Clock> }> {
  const consumer = await openInput({ url: "127.0.0.1:0", ...config }, context);
  return { consumer, url: `ws://${String(consumer.status!().details!["bound_addr"])}`, context };
}

/** Receives until `count` messages are there, and commits nothing. */
export async function receive(consumer: Consumer, count: number, max = 1024): Promise<Message[]> {
  const messages: Message[] = [];
  while (messages.length < count) {
    const { batch } = await within(consumer.receive(max, never()), `message ${messages.length + 1} of ${count}`);
    messages.push(...batch);
  }
  return messages;
}

export function never(): AbortSignal {
  return new AbortController().signal;
}

/** How a connection ended. */
export interface End {
  readonly code: number;
  readonly reason: string;
}

/** A client, or the server's end of one: keeps what it is sent. */
export class Talker {
  readonly socket: WebSocket;
  readonly received: { readonly data: Buffer; readonly binary: boolean }[] = [];
  readonly closed: Promise<End>;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("error", () => {});
    socket.on("message", (data: Buffer, binary) => this.received.push({ data, binary }));
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
  }

  static async connect(url: string, options: ClientOptions = {}): Promise<Talker> {
    const talker = new Talker(new WebSocket(url, options));
    await within(once(talker.socket, "open"), `connecting to ${url}`);
    return talker;
  }

  /** The texts of the first `count` messages that came. */
  async texts(count: number): Promise<string[]> {
    await eventually(() => this.received.length >= count, `${count} messages`);
    return this.received.map(({ data }) => data.toString());
  }
}

/** The HTTP status with which a handshake is refused. */
export async function refusal(url: string, options: ClientOptions = {}): Promise<{ status: number; headers: object }> {
  const socket = new WebSocket(url, options);
  socket.on("error", () => {});
  const [request, response] = await within(once(socket, "unexpected-response"), "a refusal");
  request.destroy();
  return { status: response.statusCode, headers: response.headers };
}

/** A server of somebody else, on a free port. */
export class Hub implements AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly talkers: Talker[] = [];
  private readonly server: WebSocketServer;

  private constructor(server: WebSocketServer, port: number) {
    this.server = server;
    this.port = port;
    this.url = `ws://127.0.0.1:${port}`;
    server.on("connection", (socket) => this.talkers.push(new Talker(socket)));
  }

  static async start(options: ConstructorParameters<typeof WebSocketServer>[0] = {}): Promise<Hub> {
    const port = await freePort();
    const server = new WebSocketServer({ host: "127.0.0.1", port, ...options });
    await once(server, "listening");
    return new Hub(server, port);
  }

  async first(): Promise<Talker> {
    return eventually(() => this.talkers[0], "a client");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.talkers) socket.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
