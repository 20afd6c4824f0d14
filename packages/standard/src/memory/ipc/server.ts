import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { type Clock, describeError, type Logger, type MessageBatch } from "@mqb/core/plugin";
import { errors } from "../../errors.ts";
import { type Claim, claim } from "./claim.ts";
import { FrameFault } from "./frame-reader.ts";
import { FrameStream } from "./frame-stream.ts";
import type { Intake } from "./intake.ts";

/** How long publishers have to finish the frame that they are writing when the consumer closes. */
const LEAVE_MS = 500;
/** What a connection may still bring in then: more than the system holds for it, so that no whole frame is lost. */
const LEAVE_BYTES = 8 * 1024 * 1024;

export interface ServerSettings {
  readonly path: string;
  readonly intake: Intake;
  readonly route: string;
  readonly log: Logger;
  readonly clock: Clock;
}

/** Takes the connections of publishers at a socket, all of them at once, and puts what they send into the intake. */
export class FrameServer {
  /** Frames that were none; each has cost a connection. */
  refused = 0;
  private readonly settings: ServerSettings;
  private readonly server: Server;
  private readonly connections = new Set<Connection>();
  private readonly stopListening: () => void;
  private claim: Claim | undefined;
  /** Publishers can find the socket. */
  private public = false;

  private constructor(settings: ServerSettings) {
    this.settings = settings;
    this.server = createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
    this.stopListening = settings.intake.onRoom(() => {
      for (const connection of this.connections) connection.resume();
    });
  }

  /** Throws `config` errors when the socket has a consumer already or cannot be made, `connection` ones for the rest. */
  static async listen(settings: ServerSettings): Promise<FrameServer> {
    const server = new FrameServer(settings);
    try {
      server.claim = await claim(server.server, settings.path, () => {
        server.public = true;
      });
    } catch (error) {
      server.stopListening();
      server.server.close();
      throw error;
    }
    server.server.on("error", (error) => server.warn(`a connection could not be taken: ${describeError(error)}`));
    return server;
  }

  get connected(): number {
    return this.connections.size;
  }

  /**
   * Takes the socket away, lets publishers finish what they are writing, and closes their connections. What they have
   * brought in by then is in the intake.
   */
  async close(): Promise<void> {
    this.stopListening();
    await this.claim?.release();
    // Who has connected already is taken too: the system holds what it has sent.
    await loopTurn();
    await loopTurn();
    const closed = once(this.server, "close");
    this.server.close();
    for (const connection of this.connections) connection.leave(LEAVE_BYTES);
    const cancel = this.settings.clock.timer(LEAVE_MS, () => {
      for (const connection of this.connections) connection.destroy();
    });
    await closed;
    cancel();
  }

  private accept(socket: Socket): void {
    // Before the socket file has its rights nobody is meant to know of it.
    if (!this.public) {
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, this.settings.intake, (fault) => this.drop(fault));
    this.connections.add(connection);
    socket.once("close", () => this.connections.delete(connection));
  }

  private drop(fault: FrameFault): void {
    this.refused += 1;
    const { message, code } = errors.IPC_FRAME({ path: this.settings.path, reason: fault.message });
    this.warn(message, { code });
  }

  private warn(text: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const { log, route, path } = this.settings;
    log.warn(text, { route, socket: path, ...fields });
  }
}

function loopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** One publisher. */
class Connection {
  private readonly socket: Socket;
  private readonly intake: Intake;
  private readonly frames = new FrameStream();
  private readonly dropped: (fault: FrameFault) => void;
  /** How much more it may bring in; counted only while the consumer closes. */
  private allowed = Number.POSITIVE_INFINITY;

  constructor(socket: Socket, intake: Intake, dropped: (fault: FrameFault) => void) {
    this.socket = socket;
    this.intake = intake;
    this.dropped = dropped;
    socket.on("data", (chunk: Buffer) => this.take(chunk));
    socket.on("end", () => this.ended());
    // A publisher that is gone in the middle has not been told that its frame was taken.
    socket.on("error", () => socket.destroy());
    this.pauseIfFull();
  }

  resume(): void {
    if (this.socket.isPaused()) this.socket.resume();
  }

  /** Says that nothing more is read soon, and reads on what is on its way. */
  leave(bytes: number): void {
    this.allowed = bytes;
    this.socket.end();
    this.resume();
  }

  destroy(): void {
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.allowed -= chunk.length;
    try {
      this.frames.push(chunk, this.pass);
    } catch (error) {
      if (!(error instanceof FrameFault)) throw error;
      this.socket.destroy();
      this.dropped(error);
      return;
    }
    if (this.allowed < 0) this.socket.destroy();
    else if (this.allowed === Number.POSITIVE_INFINITY) this.pauseIfFull();
  }

  private readonly pass = (batch: MessageBatch): void => {
    this.intake.append({ batch, from: 0, returns: 0 });
  };

  private ended(): void {
    if (this.frames.pending > 0) this.dropped(new FrameFault("the connection ended in the middle of it"));
    this.socket.end();
  }

  private pauseIfFull(): void {
    if (this.intake.full) this.socket.pause();
  }
}
