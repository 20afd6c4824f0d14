import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createPlainServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Duplex } from "node:stream";
import { type Address, testCertificates } from "@mqb/testkit";
import { WebSocket, WebSocketServer } from "ws";

const TRY_AGAIN_MS = 5;
const AHEAD_BYTES = 256 * 1024;

/** What somebody has sent, as a frame. */
export interface Frame {
  readonly data: Buffer;
  readonly binary: boolean;
}

/** A client of somebody else: keeps what it is given, and sends it as soon as an input listens. */
export class Feeder {
  private readonly url: string;
  private readonly frames: Frame[] = [];
  private socket: WebSocket | undefined;
  private stream: Duplex | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(url: string) {
    this.url = url;
  }

  give(frame: Frame): void {
    this.frames.push(frame);
    this.work();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.socket?.terminate();
  }

  private work(): void {
    if (this.stopped || this.timer) return;
    this.socket ??= this.connect();
    const { socket, stream } = this;
    if (socket.readyState !== WebSocket.OPEN || !stream) return;
    // What is sent at once arrives at once, also over TLS; and what the input does not read stays here.
    stream.cork();
    for (let frame = this.frames[0]; frame && socket.bufferedAmount < AHEAD_BYTES; frame = this.frames[0]) {
      this.frames.shift();
      socket.send(frame.data, { binary: frame.binary }, () => setImmediate(() => this.work()));
    }
    stream.uncork();
  }

  private connect(): WebSocket {
    const socket = new WebSocket(this.url, { rejectUnauthorized: false });
    socket.on("error", () => {});
    socket.on("upgrade", (response) => {
      this.stream = response.socket;
    });
    socket.on("open", () => this.work());
    socket.on("close", () => {
      this.socket = undefined;
      this.stream = undefined;
      if (this.stopped) return;
      // The input is not there yet, or is just reconnecting. Nothing announces it.
      this.timer = setTimeout(() => {
        this.timer = undefined;
        this.work();
      }, TRY_AGAIN_MS);
      this.timer.unref();
    });
    return socket;
  }
}

/** A server of somebody else. It keeps what it gets by path, and passes it on where somebody wants it. */
export class Relay {
  readonly address: Address;
  private readonly scheme: string;
  private readonly server: Server;
  private readonly sockets: WebSocketServer;
  private readonly frames = new Map<string, Frame[]>();
  private readonly feeders = new Map<string, Feeder>();

  private constructor(server: Server, scheme: string) {
    this.server = server;
    this.scheme = scheme;
    this.address = { host: "127.0.0.1", port: (server.address() as { port: number }).port };
    this.sockets = new WebSocketServer({ server });
    this.sockets.on("connection", (socket, { url = "" }) => {
      socket.on("error", () => {});
      socket.on("message", (data: Buffer, binary) => this.take(url, { data, binary }));
    });
  }

  static async start(tls: boolean): Promise<Relay> {
    const { server: files } = testCertificates();
    const material = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
    const server = tls ? createTlsServer(material) : createPlainServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Relay(server, tls ? "wss" : "ws");
  }

  /** From now on what comes on the path goes to an input; what has come already goes first. */
  forward(path: string, port: number): Feeder {
    const feeder = new Feeder(`${this.scheme}://127.0.0.1:${port}${path}`);
    this.feeders.set(path, feeder);
    for (const frame of this.at(path)) feeder.give(frame);
    return feeder;
  }

  at(path: string): readonly Frame[] {
    return this.frames.get(path) ?? [];
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets.clients) socket.terminate();
    this.sockets.close();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(path: string, frame: Frame): void {
    const frames = this.frames.get(path) ?? [];
    this.frames.set(path, frames);
    frames.push(frame);
    this.feeders.get(path)?.give(frame);
  }
}
