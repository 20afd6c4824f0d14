import type { Duplex } from "node:stream";
import type { EndpointStatus, MessageBatch, OpenContext, Outcome, Publisher } from "@mqb/core/plugin";
import type { WebSocket } from "ws";
import { websocketErrors } from "../errors.ts";
import { Heartbeat, movedBytes, type Peer } from "../heartbeat.ts";
import type { WebSocketSettings } from "../schema.ts";
import { type Connection, connect } from "./connect.ts";
import { framesOf } from "./frames.ts";

/** Bytes that are handed to the socket before it is waited for; a larger message goes alone. */
const PART_BYTES = 4 * 1024 * 1024;
/** How long the server has to answer the close. */
const LEAVE_MS = 500;
const NORMAL = 1000;

type Context = Pick<OpenContext, "baseDir" | "clock" | "log" | "path" | "route" | "signal">;

/** Connects, and sends each message as a frame. */
export async function openPublisher(settings: WebSocketSettings, context: Context): Promise<Publisher> {
  return new WebSocketPublisher(await connect(settings, context), settings, context);
}

/**
 * Sends over one connection. A batch is accepted when the system has all of its frames: a WebSocket server confirms
 * nothing. When the server does not read, the send waits.
 */
class WebSocketPublisher implements Publisher, Peer {
  heard = true;
  readonly unread = false;
  private readonly socket: WebSocket;
  private readonly stream: Duplex;
  private readonly target: string;
  private readonly context: Context;
  private readonly heartbeat: Heartbeat;
  private readonly waiting = new Set<(error: Error) => void>();
  /** Why nothing can be sent any more. */
  private broken: string | undefined;
  private ignored = 0;
  private closing: Promise<void> | undefined;

  constructor({ socket, stream, target }: Connection, settings: WebSocketSettings, context: Context) {
    this.socket = socket;
    this.stream = stream;
    this.target = target.text;
    this.context = context;
    this.heartbeat = new Heartbeat(context.clock, settings.ping_interval_ms);
    this.heartbeat.add(this);
    socket.on("ping", this.onSign);
    socket.on("pong", this.onSign);
    socket.on("message", () => this.ignore());
    socket.on("error", (error) => {
      this.broken ??= error.message;
    });
    socket.on("close", (code, reason) => this.ended(code, reason.toString()));
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    for (let at = 0; at < batch.length; ) {
      if (this.closing) throw websocketErrors.CLOSED({ target: this.target });
      if (this.broken !== undefined || this.socket.readyState !== this.socket.OPEN) throw this.lostError();
      if (signal.aborted) throw websocketErrors.GIVEN_UP({ target: this.target });
      const from = at;
      at = partEnd(batch, from);
      await this.write(batch, from, at, signal);
    }
    return undefined;
  }

  close(): Promise<void> {
    return (this.closing ??= this.shut());
  }

  get moved(): number {
    return movedBytes(this.stream);
  }

  status(): EndpointStatus {
    return {
      healthy: this.broken === undefined && !this.closing,
      target: this.target,
      ...(this.broken === undefined ? {} : { error: this.broken }),
      details: {
        mode: "client",
        unsent_bytes: this.socket.bufferedAmount,
        ...(this.ignored > 0 ? { ignored: this.ignored } : {}),
      },
    };
  }

  ping(): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
  }

  lost(): void {
    this.broken ??= "the server does not answer pings";
    this.socket.terminate();
  }

  /** Resolves when the system has the frames. */
  private write(batch: MessageBatch, from: number, to: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        signal.removeEventListener("abort", aborted);
        this.waiting.delete(fail);
        act();
      };
      const fail = (error: Error): void => settle(() => reject(error));
      const aborted = (): void => this.giveUp(fail);
      const written = (error?: Error | null): void => {
        if (error) {
          fail(this.lostError(error));
          return;
        }
        // A server that reads, however slowly, is there, also when our pings wait behind what it has not read.
        this.heard = true;
        settle(resolve);
      };
      this.waiting.add(fail);
      signal.addEventListener("abort", aborted, { once: true });
      // Whole frames in one write: the driver's own (pings, pongs, the close) come before or behind them.
      this.stream.write(framesOf(batch, from, to), written);
    });
  }

  /** Half a frame may be on its way; neither can it be taken back nor anything be sent behind it. */
  private giveUp(fail: (error: Error) => void): void {
    fail(websocketErrors.GIVEN_UP({ target: this.target }));
    this.broken ??= "a send was given up";
    this.socket.terminate();
  }

  private ignore(): void {
    this.heard = true;
    this.ignored += 1;
    if (this.ignored > 1) return;
    const text = `${this.target} sends messages; a websocket output reads none, they are dropped`;
    this.context.log.warn(text, { route: this.context.route });
  }

  private ended(code: number, reason: string): void {
    this.heartbeat.remove(this);
    this.broken ??= `it was closed with code ${code}${reason === "" ? "" : ` (${reason})`}`;
    const error = this.lostError();
    for (const fail of this.waiting) fail(error);
  }

  private lostError(cause?: Error): Error {
    const reason = this.broken ?? cause?.message ?? "it is closing";
    return websocketErrors.CUT({ target: this.target, reason }, cause ? { cause } : {});
  }

  private async shut(): Promise<void> {
    const { socket } = this;
    this.heartbeat.remove(this);
    const left = websocketErrors.CLOSED({ target: this.target });
    const inTheMiddle = this.waiting.size > 0;
    for (const fail of this.waiting) fail(left);
    if (socket.readyState === socket.CLOSED) return;
    await new Promise<void>((resolve) => {
      const cancel = this.context.clock.timer(LEAVE_MS, () => socket.terminate());
      socket.once("close", () => {
        cancel();
        resolve();
      });
      if (inTheMiddle) socket.terminate();
      else socket.close(NORMAL);
    });
  }

  private readonly onSign = (): void => {
    this.heard = true;
  };
}

/** Where the part that begins at `from` ends: as many messages as fit, at least one. */
function partEnd(batch: MessageBatch, from: number): number {
  let bytes = 0;
  let to = from;
  while (to < batch.length) {
    bytes += batch.payload(to).length;
    if (bytes > PART_BYTES && to > from) break;
    to += 1;
  }
  return to;
}
