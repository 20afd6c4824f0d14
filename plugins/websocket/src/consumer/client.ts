import type { Duplex } from "node:stream";
import { Message } from "@mqb/core/plugin";
import type { WebSocket } from "ws";
import { isBinary } from "../frame-type.ts";
import { movedBytes, type Peer } from "../heartbeat.ts";
import type { Handshake } from "./handshake.ts";
import type { Intake } from "./intake.ts";

/** A client that has more answers than this unread is not read from. */
const UNREAD_ANSWERS_BYTES = 1024 * 1024;

const TEXT = { binary: false, compress: false };
const BINARY = { binary: true, compress: false };

export interface ClientSetup {
  readonly handshake: Handshake;
  readonly intake: Intake;
  /** Each message gets a `correlation_id`. */
  readonly correlated: boolean;
  readonly onClose: (client: Client) => void;
}

/** One connected client: its messages go into the intake, its answers to its socket. */
export class Client implements Peer {
  heard = true;
  private readonly socket: WebSocket;
  private readonly stream: Duplex;
  private readonly setup: ClientSetup;
  private isHeld = false;
  private isBehind = false;
  private isClosing = false;

  constructor(socket: WebSocket, stream: Duplex, setup: ClientSetup) {
    this.socket = socket;
    this.stream = stream;
    this.setup = setup;
    socket.on("message", (data: Buffer, binary) => this.receive(data, binary));
    socket.on("ping", this.onSign);
    socket.on("pong", this.onSign);
    // What went wrong is in the close code that the peer gets; the socket is closed behind it.
    socket.on("error", () => {});
    socket.on("close", () => {
      setup.intake.forget(this);
      setup.onClose(this);
    });
    if (setup.intake.full) this.hold();
  }

  get unread(): boolean {
    return this.isHeld || this.isBehind;
  }

  get moved(): number {
    return movedBytes(this.stream);
  }

  /** Stops reading until `release`. */
  hold(): void {
    if (this.isHeld) return;
    this.isHeld = true;
    this.setup.intake.hold(this);
    this.socket.pause();
  }

  release(): void {
    this.isHeld = false;
    this.resume();
  }

  /** Holds writes together until `uncork`. */
  cork(): void {
    this.stream.cork();
  }

  /** False when the client is gone. Never waits: a client that does not read is not read from either. */
  answer(message: Message): boolean {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return false;
    const { payload } = message;
    socket.send(payload, isBinary(payload, message.metadata) ? BINARY : TEXT);
    return true;
  }

  uncork(): void {
    const { stream } = this;
    stream.uncork();
    if (this.isBehind || stream.destroyed || stream.writableLength <= UNREAD_ANSWERS_BYTES) return;
    this.isBehind = true;
    this.socket.pause();
    stream.once("drain", () => {
      this.isBehind = false;
      this.resume();
    });
  }

  ping(): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
  }

  lost(): void {
    this.socket.terminate();
  }

  /** The answers that are on their way go first. */
  close(code: number, reason: string): void {
    this.isClosing = true;
    // A paused socket does not see the other side's close frame.
    this.socket.resume();
    this.socket.close(code, reason);
  }

  private receive(data: Buffer, binary: boolean): void {
    this.heard = true;
    const { handshake, intake, correlated } = this.setup;
    if (this.isClosing && intake.overfull) {
      // Only its close frame is waited for, and what it sends before that has no room.
      this.socket.terminate();
      return;
    }
    const message = new Message(data, binary ? handshake.binary : handshake.text, handshake.nextId());
    intake.push(correlated ? message.with({ metadata: { correlation_id: message.id } }) : message, this);
  }

  private readonly onSign = (): void => {
    this.heard = true;
  };

  private resume(): void {
    if (!this.unread) this.socket.resume();
  }
}
