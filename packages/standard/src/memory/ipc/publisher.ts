import { once } from "node:events";
import { connect, type Socket } from "node:net";
import {
  ACCEPTED,
  type EndpointStatus,
  failed,
  type MessageBatch,
  type OpenContext,
  type Outcome,
  type Publisher,
} from "@mqb/core/plugin";
import { errors } from "../../errors.ts";
import { DONE } from "../delivery.ts";
import type { IpcAddress } from "./address.ts";
import { FrameWriter } from "./frame-writer.ts";
import { MAX_WRITTEN_BYTES } from "./limits.ts";
import { placeToConnect, type Surroundings } from "./place.ts";

/** After so long it is said that the consumer does not read. */
const SAY_AFTER_MS = 5_000;

type Context = Pick<OpenContext, "clock" | "log" | "route" | "signal">;

/**
 * Sends to the consumer of a socket. A batch is one frame, and accepted when the system has all of it; when the consumer
 * does not read, the send waits. Frames go out in the order of the calls.
 */
export class IpcPublisher implements Publisher {
  private readonly address: IpcAddress;
  private readonly path: string;
  private readonly socket: Socket;
  private readonly context: Context;
  private readonly writer: FrameWriter;
  private readonly waiting = new Set<Sending>();
  /** Why nothing can be sent any more. */
  private broken: { readonly cause?: unknown } | undefined;
  private closing: Promise<void> | undefined;
  private accepted = 0;
  private cancelLook: (() => void) | undefined;

  constructor(address: IpcAddress, path: string, socket: Socket, context: Context, limit?: number) {
    this.address = address;
    this.path = path;
    this.socket = socket;
    this.context = context;
    this.writer = new FrameWriter(limit);
    // The consumer sends nothing; its end says that it reads nothing more.
    socket.resume();
    socket.on("end", () => {
      this.broken ??= {};
    });
    socket.on("error", (cause) => this.cut(cause));
    socket.on("close", () => this.cut());
  }

  /** Throws a `connection` error when nobody listens. */
  static async connect(
    address: IpcAddress,
    context: Context,
    { around, limit }: { readonly around?: Surroundings; readonly limit?: number } = {},
  ): Promise<IpcPublisher> {
    const path = await placeToConnect(address, around);
    const socket = connect(path);
    try {
      await once(socket, "connect", { signal: context.signal });
    } catch (cause) {
      socket.destroy();
      context.signal.throwIfAborted();
      throw unreachable(path, cause);
    }
    return new IpcPublisher(address, path, socket, context, limit);
  }

  send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    if (this.closing) return Promise.reject(errors.MEMORY_CLOSED({ topic: this.address.url }));
    if (this.broken) return Promise.reject(this.lost(this.broken));
    if (batch.length === 0) return DONE;
    if (signal.aborted) return Promise.reject(this.givenUp());
    const { frames, refused } = this.framesOf(batch);
    if (frames.length === 0) return Promise.resolve(refused);
    return new Promise((resolve, reject) => {
      const sending = new Sending(frames.length, signal, () => this.giveUp(), {
        resolve: () => resolve(refused),
        reject,
      });
      this.waiting.add(sending);
      for (const frame of frames) this.socket.write(frame, (error) => this.written(frame, sending, error));
      this.lookLater();
    });
  }

  close(): Promise<void> {
    return (this.closing ??= this.shut());
  }

  status(): EndpointStatus {
    return {
      healthy: !this.broken && !this.closing,
      target: this.address.url,
      details: { mode: "transport", socket: this.path, waiting: this.waiting.size },
    };
  }

  /**
   * The batch as frames: one, unless it is larger than a frame may be. A message that fits into none is refused: then there
   * are outcomes, by position.
   */
  private framesOf(batch: MessageBatch): { frames: Buffer[]; refused: Outcome[] | undefined } {
    const frames: Buffer[] = [];
    let refused: Outcome[] | undefined;
    const add = (from: number, to: number): void => {
      const frame = this.writer.write(batch, from, to);
      if (frame) {
        frames.push(frame);
      } else if (to - from > 1) {
        const middle = (from + to) >>> 1;
        add(from, middle);
        add(middle, to);
      } else {
        refused ??= new Array<Outcome>(batch.length).fill(ACCEPTED);
        refused[from] = failed(errors.IPC_TOO_LARGE({ url: this.address.url, limit: MAX_WRITTEN_BYTES }));
      }
    };
    add(0, batch.length);
    return { frames, refused };
  }

  private written(frame: Buffer, sending: Sending, error: Error | null | undefined): void {
    this.writer.release(frame);
    // A write that was cut off by a destroyed socket reports no error.
    if (error || this.socket.destroyed) {
      this.cut(error ?? undefined);
      return;
    }
    this.accepted += 1;
    if (sending.done()) this.waiting.delete(sending);
  }

  /** The connection is gone. What was not written whole is not accepted: a consumer drops half a frame. */
  private cut(cause?: unknown): void {
    const why = (this.broken ??= cause === undefined ? {} : { cause });
    this.failAll(this.lost(why));
  }

  /**
   * Somebody has given up waiting. Half a frame may be on its way, and neither can it be taken back nor anything be sent
   * behind it: the connection ends.
   */
  private giveUp(): void {
    this.broken ??= {};
    for (const sending of this.waiting) if (sending.signal.aborted) sending.fail(this.givenUp());
    this.failAll(this.lost(this.broken));
    this.socket.destroy();
  }

  private failAll(error: Error): void {
    this.cancelLook?.();
    this.cancelLook = undefined;
    for (const sending of this.waiting) sending.fail(error);
    this.waiting.clear();
  }

  private async shut(): Promise<void> {
    const { socket } = this;
    this.cancelLook?.();
    if (this.waiting.size > 0) {
      this.failAll(errors.MEMORY_CLOSED({ topic: this.address.url }));
      socket.destroy();
    }
    if (socket.closed) return;
    const closed = once(socket, "close");
    // What the system has taken reaches the consumer also when the socket is gone.
    socket.destroySoon();
    await closed.catch(() => {});
  }

  /** A consumer that is connected and does not read holds its publishers up for ever, without a failure. */
  private lookLater(): void {
    if (this.cancelLook) return;
    const before = this.accepted;
    this.cancelLook = this.context.clock.timer(SAY_AFTER_MS, () => {
      this.cancelLook = undefined;
      if (this.waiting.size === 0) return;
      if (this.accepted === before) {
        this.context.log.warn(`the consumer of ${this.address.url} has read nothing for ${SAY_AFTER_MS} ms: waiting`, {
          route: this.context.route,
          socket: this.path,
        });
      }
      this.lookLater();
    });
  }

  private lost({ cause }: { readonly cause?: unknown }): Error {
    return errors.IPC_CUT({ url: this.address.url }, cause === undefined ? {} : { cause });
  }

  private givenUp(): Error {
    return errors.IPC_GIVEN_UP({ url: this.address.url });
  }
}

function unreachable(path: string, cause: unknown): Error {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "ENOENT") return errors.IPC_UNREACHABLE({ target: path, reason: "there is no socket" }, { cause });
  if (code === "ECONNREFUSED") {
    return errors.IPC_UNREACHABLE({ target: path, reason: "nobody listens at the socket" }, { cause });
  }
  if (code === "EACCES" || code === "EPERM") {
    const hint = "a socket can be used by the user alone who runs its consumer, and by root";
    return errors.IPC_UNREACHABLE({ target: path, reason: "its owner does not let us" }, { cause, hint });
  }
  return errors.IPC_UNREACHABLE({ target: path, reason: code ?? "no connection" }, { cause });
}

/** A batch that the system has not taken yet. */
class Sending {
  readonly signal: AbortSignal;
  private left: number;
  private readonly aborted: () => void;
  private readonly settle: { readonly resolve: () => void; readonly reject: (error: Error) => void };

  constructor(frames: number, signal: AbortSignal, aborted: () => void, settle: Sending["settle"]) {
    this.left = frames;
    this.signal = signal;
    this.aborted = aborted;
    this.settle = settle;
    signal.addEventListener("abort", aborted, { once: true });
  }

  /** One frame is written. True when that was the last one. */
  done(): boolean {
    if (--this.left > 0) return false;
    this.signal.removeEventListener("abort", this.aborted);
    this.settle.resolve();
    return true;
  }

  fail(error: Error): void {
    this.signal.removeEventListener("abort", this.aborted);
    this.settle.reject(error);
  }
}
