import type { ConsumerConfig } from "../client/jetstream-api.ts";
import { type Frame, statusOf, statusText } from "../wire/frame.ts";

/** The server says this often that it is still there while nothing arrives. */
export const HEARTBEAT_MS = 5000;
const EXPIRES_MS = 30_000;
const NANOS_PER_MILLI = 1_000_000;
/** A request whose message never fits: it only says that we are there. */
const PRESENCE = JSON.stringify({ batch: 1, max_bytes: 1, expires: 1000 * NANOS_PER_MILLI });
/** So often in a row the server may refuse a request for the same reason before nothing is to be hoped for. */
const REFUSALS = 3;
/** Others ask at the moment, or too much is unacknowledged. */
const PASSES = /waiting|ack ?pending/i;
/** Bytes that are read ahead of the route, at most; a single message may be larger. */
const AHEAD_BYTES = 16 * 1024 * 1024;

/** What a message of the server about our requests means for the source. */
export type PullStatus =
  | { readonly type: "alive" | "ended" }
  /** The request was not taken; the reason may pass. */
  | { readonly type: "refused" }
  | { readonly type: "gone"; readonly reason: string }
  | { readonly type: "wrong"; readonly reason: string };

/** What the consumer permits at once; 0 or nothing = no limit. */
export type PullLimits = Pick<ConsumerConfig, "max_batch" | "max_bytes" | "max_expires">;

/** Counts what was asked for and has not come, so that there is always something on the way and never too much. */
export class Pulls {
  /** Messages that were asked for and did not come yet. */
  asked = 0;
  private readonly api: string;
  private readonly inbox: string;
  private readonly maxPayload: number;
  private most: number;
  private readonly mostBytes: number;
  private readonly expires: number;
  private readonly heartbeat: number;
  private number = 0;
  private refusals = 0;

  constructor(
    stream: string,
    consumer: string,
    inbox: string,
    prefetch: number,
    maxPayload: number,
    limits: PullLimits = {},
  ) {
    this.api = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`;
    this.inbox = inbox;
    this.most = Math.min(prefetch, limits.max_batch || prefetch);
    this.mostBytes = limits.max_bytes || Number.MAX_SAFE_INTEGER;
    this.expires = Math.min(EXPIRES_MS * NANOS_PER_MILLI, limits.max_expires || Number.MAX_SAFE_INTEGER);
    // The server wants to say it at least twice.
    this.heartbeat = Math.min(HEARTBEAT_MS * NANOS_PER_MILLI, Math.floor(this.expires / 2));
    this.maxPayload = maxPayload;
  }

  /** The command that asks for more, for a reader that takes up to `max` at once; undefined while enough is on the way. */
  next(max: number, waiting: { readonly length: number; readonly bytes: number }): Buffer | undefined {
    const ready = this.asked + waiting.length;
    const wanted = Math.min(this.most, 2 * max) - ready;
    if (wanted <= 0 || ready >= max || (waiting.length > 0 && waiting.bytes >= AHEAD_BYTES)) return undefined;
    this.asked += wanted;
    const body = JSON.stringify({
      batch: wanted,
      expires: this.expires,
      // One that is larger than what may come would never come.
      max_bytes: Math.min(this.mostBytes, Math.max(AHEAD_BYTES - waiting.bytes, 2 * this.maxPayload)),
      idle_heartbeat: this.heartbeat,
    });
    return this.request(body);
  }

  /** The command that shows the server that somebody uses the consumer while nothing is asked for. */
  presence(): Buffer {
    return this.request(PRESENCE);
  }

  /** A message has come: the server does what is asked. */
  arrived(): void {
    this.refusals = 0;
    if (this.asked > 0) this.asked -= 1;
  }

  private request(body: string): Buffer {
    return Buffer.from(`PUB ${this.api} ${this.inbox}.${++this.number} ${body.length}\r\n${body}\r\n`);
  }

  read(message: Frame): PullStatus {
    const status = statusOf(message);
    if (status === 100 || status === 408) this.refusals = 0;
    if (status === 100) return { type: "alive" };
    const reason = statusText(message);
    if (status === 503) return { type: "gone", reason: "it is not there any more" };
    const left = /\r\nNats-Pending-Messages: (\d+)/.exec(message.block.toString("latin1", 0, 512));
    this.asked = left ? Math.max(0, this.asked - Number(left[1])) : 0;
    if (status === 404 || status === 408) return { type: "ended" };
    if (status === 400) return { type: "wrong", reason };
    if (/deleted|server shutdown/i.test(reason)) return { type: "gone", reason };
    if (/push based/i.test(reason)) return { type: "wrong", reason };
    const limit = /max_?request_?batch\D*(\d+)/i.exec(reason);
    if (limit) this.most = Math.max(1, Math.min(this.most, Number(limit[1])));
    if (limit !== null || /batch completed|leadership change/i.test(reason)) return { type: "ended" };
    const isTooLarge = /message size exceeds/i.test(reason);
    // Where we ask for as much as we want, the next request has room for what this one had not.
    if (isTooLarge && this.mostBytes >= 2 * this.maxPayload) return { type: "ended" };
    if (!PASSES.test(reason) && ++this.refusals >= REFUSALS) return { type: "wrong", reason };
    return { type: isTooLarge ? "ended" : "refused" };
  }
}
