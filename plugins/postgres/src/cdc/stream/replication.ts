import type { Clock } from "@mqb/core/plugin";
import { sleep } from "@mqb/core/plugin";
import type pg from "pg";
import { StreamFault } from "../decode/fault.ts";
import { cut, disconnect, socketOf } from "../server/connection.ts";
import { Frames } from "./frames.ts";

const COPY_DATA = 100; // d
const COPY_DONE = 99; // c
const COPY_BOTH = 87; // W
const ERROR = 69; // E
const READY = 90; // Z
const COMPLETE = 67; // C
/** Notices, parameters and notifications may come at any time. */
const ASIDE = new Set([78, 83, 65]);

/** Seconds between 1970 and 2000, from where PostgreSQL counts. */
const EPOCH_MS = 946_684_800_000;
const CLOSE_MS = 1000;

/** What the server says when it refuses something. */
export class ServerError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface StreamHost {
  /** Something has come. */
  arrived(): void;
  /** It is over. */
  lost(error: unknown): void;
}

/**
 * A stream of changes in both directions (CopyBoth) on a connection that was made by the driver. The driver has no such thing:
 * its socket is taken over while nothing is on its way.
 */
export class Replication {
  /** The data message that `next` has found: `bytes[start .. end)`. */
  readonly frames: Frames = new Frames();
  /** When something was heard last, on the monotonic clock. */
  heard: number;
  readonly processId: number;
  private readonly client: pg.Client;
  private readonly socket: import("node:net").Socket;
  private readonly clock: Clock;
  private readonly host: StreamHost;
  private readonly update: Buffer = Buffer.alloc(39);
  private state: "starting" | "streaming" | "ending" | "over" = "starting";
  private started: { resolve(): void; reject(error: unknown): void } | undefined;
  private ended: (() => void) | undefined;
  private isPaused = false;
  /** The last command that was sent is done. */
  private isComplete = false;

  private constructor(client: pg.Client, clock: Clock, host: StreamHost) {
    this.client = client;
    this.clock = clock;
    this.host = host;
    this.heard = clock.monotonic();
    this.processId = (client as unknown as { readonly processID?: number }).processID ?? 0;
    this.socket = socketOf(client)!;
    this.update[0] = COPY_DATA;
    this.update.writeUInt32BE(38, 1);
    this.update[5] = 114; // r
  }

  /** Begins the stream; the client is its own from here on. Rejects with what the server says, and cuts the connection. */
  static async start(client: pg.Client, command: string, clock: Clock, host: StreamHost): Promise<Replication> {
    const stream = new Replication(client, clock, host);
    const { socket } = stream;
    socket.removeAllListeners("data");
    socket.on("data", (chunk: Buffer) => stream.data(chunk));
    socket.on("close", () => stream.over(new Error("the connection has ended")));
    socket.on("error", (error) => stream.over(error));
    const begun = new Promise<void>((resolve, reject) => {
      stream.started = { resolve, reject };
    });
    if (socket.destroyed) stream.over(new Error("the connection has ended"));
    const text = Buffer.from(`${command}\0`);
    const query = Buffer.alloc(5);
    query[0] = 81; // Q
    query.writeUInt32BE(4 + text.length, 1);
    socket.write(Buffer.concat([query, text]));
    try {
      await begun;
    } catch (error) {
      cut(client);
      throw error;
    }
    return stream;
  }

  /** Goes to the next data message; false when there is none yet. Throws what the server says, and `StreamFault`s. */
  next(): boolean {
    const { frames } = this;
    while (frames.next()) {
      if (frames.kind === COPY_DATA) {
        if (frames.end - frames.start < 18) throw new StreamFault("a data message that is too short");
        return true;
      }
      if (ASIDE.has(frames.kind)) continue;
      if (frames.kind === ERROR) throw this.errorOf(frames);
      if (frames.kind === COPY_DONE || frames.kind === COMPLETE || frames.kind === READY)
        throw new Error("the server has ended the stream");
      throw new StreamFault(`a message of the unknown kind ${frames.kind}`);
    }
    return false;
  }

  pause(): void {
    if (this.isPaused) return;
    this.isPaused = true;
    this.socket.pause();
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    // What came meanwhile lies with the system: it could not be heard.
    this.heard = this.clock.monotonic();
    this.socket.resume();
  }

  get listens(): boolean {
    return !this.isPaused;
  }

  /** Tells the server that everything before `lsn` is settled. `wantsReply`: it shall say something at once. */
  confirm(lsn: bigint, wantsReply = false): void {
    if (this.state !== "streaming") return;
    const { update } = this;
    for (const at of [6, 14, 22]) update.writeBigUInt64BE(lsn, at);
    update.writeBigInt64BE(BigInt(Math.max(0, this.clock.now() - EPOCH_MS)) * 1000n, 30);
    update[38] = wantsReply ? 1 : 0;
    // The socket keeps it until it is written; the next one may come before that.
    this.socket.write(Buffer.from(update));
  }

  /**
   * Ends the stream in order, so that the server has heard of what was confirmed; `then` is run on the free connection. A
   * server that does not answer is left after a moment. Gives whether it has said that `then` is done.
   */
  async close(then?: string): Promise<boolean> {
    if (this.state !== "streaming") return this.leave();
    this.state = "ending";
    const done = new Promise<void>((resolve) => {
      this.ended = resolve;
    });
    this.socket.resume();
    this.socket.write(Buffer.from([COPY_DONE, 0, 0, 0, 4]));
    this.drop();
    const over = new AbortController();
    const inTime = await Promise.race([
      done.then(() => true),
      sleep(this.clock, CLOSE_MS, over.signal).then(() => false),
    ]);
    over.abort();
    if (!inTime || this.isOver) return this.leave();
    const isDone = then !== undefined && (await this.run(then));
    await disconnect(this.client);
    this.state = "over";
    return isDone;
  }

  private get isOver(): boolean {
    return this.state === "over";
  }

  private leave(): false {
    this.state = "over";
    cut(this.client);
    return false;
  }

  private async run(command: string): Promise<boolean> {
    const text = Buffer.from(`${command}\0`);
    const head = Buffer.from([81, 0, 0, 0, 0]);
    head.writeUInt32BE(4 + text.length, 1);
    const done = new Promise<void>((resolve) => {
      this.ended = resolve;
    });
    this.isComplete = false;
    this.socket.write(Buffer.concat([head, text]));
    const over = new AbortController();
    await Promise.race([done, sleep(this.clock, CLOSE_MS, over.signal)]);
    over.abort();
    return this.isComplete;
  }

  private data(chunk: Buffer): void {
    this.heard = this.clock.monotonic();
    if (this.state === "over") return;
    this.frames.push(chunk);
    if (this.state === "streaming") return void this.host.arrived();
    if (this.state === "ending") return void this.drop();
    this.begin();
  }

  private begin(): void {
    const { frames } = this;
    try {
      while (frames.next()) {
        if (frames.kind === COPY_BOTH) {
          this.state = "streaming";
          // What has come with it waits in the frames until the host looks.
          this.started?.resolve();
          return;
        }
        if (frames.kind === ERROR) throw this.errorOf(frames);
        if (!ASIDE.has(frames.kind)) throw new StreamFault(`a message of the unknown kind ${frames.kind}`);
      }
    } catch (error) {
      this.over(error);
    }
  }

  /** Lets what still comes go by, until the connection is free. */
  private drop(): void {
    try {
      while (this.frames.next()) {
        if (this.frames.kind === COMPLETE) this.isComplete = true;
        if (this.frames.kind !== READY) continue;
        this.ended?.();
        this.ended = undefined;
      }
    } catch {
      this.ended?.();
      this.leave();
    }
  }

  private over(error: unknown): void {
    const { state } = this;
    if (state === "over") return;
    this.state = "over";
    this.started?.reject(error);
    this.ended?.();
    cut(this.client);
    if (state === "streaming") this.host.lost(error);
  }

  private errorOf({ bytes, start, end }: Frames): ServerError {
    let [code, message] = ["XX000", "it gave no reason"];
    for (let at = start; at < end && bytes[at] !== 0; ) {
      const zero = bytes.indexOf(0, at + 1);
      if (zero < 0 || zero >= end) break;
      const text = bytes.toString("utf8", at + 1, zero);
      if (bytes[at] === 67) code = text;
      if (bytes[at] === 77) message = text;
      at = zero + 1;
    }
    return new ServerError(code, message);
  }
}
