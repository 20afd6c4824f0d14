import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { batchOf, type Message } from "@mqb/core/plugin";
import { FrameStream } from "../../src/memory/ipc/frame-stream.ts";
import { FrameWriter } from "../../src/memory/ipc/frame-writer.ts";

const TRY_AGAIN_MS = 5;

/** A publisher of another program: keeps what it is given, and sends it as soon as a consumer listens. */
export class Feeder {
  private readonly path: string;
  private readonly frames: Buffer[] = [];
  private socket: Socket | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(path: string) {
    this.path = path;
  }

  give(messages: readonly Message[]): void {
    for (let at = 0; at < messages.length; at += 500) {
      const part = messages.slice(at, at + 500);
      this.frames.push(new FrameWriter().write(batchOf(part), 0, part.length)!);
    }
    this.work();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.socket?.destroy();
  }

  private work(): void {
    if (this.stopped || this.timer) return;
    if (!this.socket) this.connect();
    if (!this.socket || this.socket.connecting) return;
    while (this.socket.writable && !this.socket.writableNeedDrain) {
      const frame = this.frames.shift();
      if (!frame) return;
      this.socket.write(frame);
    }
  }

  private connect(): void {
    const socket = connect(this.path);
    this.socket = socket;
    socket.resume();
    socket.on("error", () => {});
    socket.on("connect", () => this.work());
    socket.on("drain", () => this.work());
    socket.on("close", () => {
      this.socket = undefined;
      if (this.stopped) return;
      // The consumer is not there yet, or is just reconnecting. Nothing announces it.
      this.timer = setTimeout(() => {
        this.timer = undefined;
        this.work();
      }, TRY_AGAIN_MS);
      this.timer.unref();
    });
  }
}

/**
 * Another program between both ends of the tested endpoint: it listens where the output connects, keeps what it gets, and
 * passes it on where the input listens.
 */
export class Relay {
  readonly feeder: Feeder;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor(server: Server, feeder: Feeder) {
    this.server = server;
    this.feeder = feeder;
    server.on("connection", (socket: Socket) => this.read(socket));
  }

  static async between(output: string, input: string): Promise<Relay> {
    const server = createServer();
    const relay = new Relay(server, new Feeder(input));
    server.listen(output);
    await once(server, "listening");
    return relay;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    this.feeder.stop();
  }

  private read(socket: Socket): void {
    const frames = new FrameStream();
    this.sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => frames.push(chunk, (batch) => this.feeder.give([...batch])));
    socket.on("close", () => this.sockets.delete(socket));
  }
}
