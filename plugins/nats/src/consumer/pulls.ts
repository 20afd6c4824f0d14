import { type RawMsg, statusOf, statusText } from "../client/driver.ts";

/** The server says this often that it is still there while nothing arrives. */
export const HEARTBEAT_MS = 5000;
const EXPIRES_MS = 30_000;
const NANOS_PER_MILLI = 1_000_000;
/** Payload bytes that are read ahead of the route, at most; a single message may be larger. */
const AHEAD_BYTES = 16 * 1024 * 1024;

/** What a message of the server about our requests means for the source. */
export type PullStatus =
  | { readonly type: "alive" | "ended" }
  /** The request was not taken; the reason may pass. */
  | { readonly type: "refused" }
  | { readonly type: "gone"; readonly reason: string }
  | { readonly type: "wrong"; readonly reason: string };

/** Counts what was asked for and has not come, so that there is always something on the way and never too much. */
export class Pulls {
  /** Messages that were asked for and did not come yet. */
  asked = 0;
  private readonly api: string;
  private readonly inbox: string;
  private readonly maxPayload: number;
  private most: number;
  private number = 0;

  constructor(stream: string, consumer: string, inbox: string, prefetch: number, maxPayload: number) {
    this.api = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`;
    this.inbox = inbox;
    this.most = prefetch;
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
      expires: EXPIRES_MS * NANOS_PER_MILLI,
      // One that is larger than what may come would never come.
      max_bytes: Math.max(AHEAD_BYTES - waiting.bytes, 2 * this.maxPayload),
      idle_heartbeat: HEARTBEAT_MS * NANOS_PER_MILLI,
    });
    return Buffer.from(`PUB ${this.api} ${this.inbox}.${++this.number} ${body.length}\r\n${body}\r\n`);
  }

  read(message: RawMsg): PullStatus {
    const status = statusOf(message);
    if (status === 100) return { type: "alive" };
    const reason = statusText(message);
    if (status === 503) return { type: "gone", reason: "it is not there any more" };
    const left = /\r\nNats-Pending-Messages: (\d+)/.exec(Buffer.from(message._rdata).toString("latin1", 0, 512));
    this.asked = left ? Math.max(0, this.asked - Number(left[1])) : 0;
    if (status === 404 || status === 408) return { type: "ended" };
    if (/deleted|server shutdown/i.test(reason)) return { type: "gone", reason };
    if (/push based/i.test(reason)) return { type: "wrong", reason };
    const limit = /max_?request_?batch\D*(\d+)/i.exec(reason);
    if (limit) this.most = Math.max(1, Math.min(this.most, Number(limit[1])));
    const ended = limit !== null || /batch completed|leadership change|message size exceeds/i.test(reason);
    return { type: ended ? "ended" : "refused" };
  }
}
