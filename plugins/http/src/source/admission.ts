import type { OutgoingHttpHeaders } from "node:http";
import { answerUnread, isGone, type Request, type Response } from "../listener/index.ts";
import { CODINGS, codingsOf } from "../wire/codings.ts";
import { CHALLENGE } from "./basic-auth.ts";
import type { HttpConsumer } from "./consumer.ts";
import { Exchange } from "./exchange.ts";
import type { SourceParts } from "./parts.ts";
import { StreamExchange } from "./stream-exchange.ts";

type Started = Exchange | StreamExchange;

interface Waiting {
  readonly request: Request;
  readonly response: Response;
  readonly expects: boolean;
  readonly codings: readonly string[];
  readonly since: number;
}

interface Fault {
  readonly status: number;
  readonly text: string;
  readonly headers?: OutgoingHttpHeaders;
}

/** Requests that may wait: each costs a few kilobytes, and one connection may bring them by the thousand. */
const LEAST_ROOM = 1000;
const ROOM_PER_ACTIVE = 100;
const NONE: readonly string[] = [];
const AGAIN: OutgoingHttpHeaders = { "retry-after": "1" };
/** Longest time between two looks at the clock. */
const LOOK_MS = 500;

/** Decides which requests are worked on, and looks after their times: with one timer for all of them. */
export class Admission {
  private readonly parts: SourceParts;
  private readonly consumer: HttpConsumer;
  private readonly open = new Set<Started>();
  private waiting: Waiting[] = [];
  private readonly lookMs: number;
  private readonly room: number;
  private cancelLook: (() => void) | undefined;
  private closedWith: string | undefined;
  private admitting = false;
  active = 0;

  constructor(parts: SourceParts, consumer: HttpConsumer) {
    this.parts = parts;
    this.consumer = consumer;
    this.room = Math.max(LEAST_ROOM, ROOM_PER_ACTIVE * parts.settings.concurrency);
    this.lookMs = Math.max(5, Math.min(LOOK_MS, parts.settings.timeoutMs / 10, parts.settings.patienceMs / 4));
  }

  take(request: Request, response: Response, expects: boolean): void {
    const encoding = request.headers["content-encoding"];
    const codings = encoding === undefined ? NONE : codingsOf(encoding);
    const fault = this.faultOf(request, codings);
    if (fault) {
      const headers = { ...this.parts.answers.ownHeaders(request, undefined), ...fault.headers };
      answerUnread(request, response, fault.status, fault.text, headers);
    } else if (this.active < this.parts.settings.concurrency) {
      this.start(request, response, expects, codings);
    } else if (this.waiting.length >= this.room) {
      this.tooMany(request, response);
    } else {
      this.waiting.push({ request, response, expects, codings, since: this.parts.clock.monotonic() });
      this.look();
    }
  }

  /** A request is over. */
  finished(request: object): void {
    this.open.delete(request as Started);
    this.active -= 1;
    // One that is refused as it starts is finished within this loop: to admit the next one from there would be a call
    // within a call for each of them.
    if (this.admitting) return;
    this.admitting = true;
    try {
      this.admit();
    } finally {
      this.admitting = false;
    }
  }

  close(text: string): void {
    this.closedWith = text;
    this.cancelLook?.();
    this.cancelLook = undefined;
    for (const { request, response } of this.waiting)
      answerUnread(request, response, 503, text, { "retry-after": "1" });
    this.waiting = [];
    for (const one of [...this.open]) one.refuse(503, text);
    this.open.clear();
  }

  /** Why a request is not taken, as far as its head says. */
  private faultOf(request: Request, codings: readonly string[]): Fault | undefined {
    const { auth, maxBodyBytes, streamable } = this.parts.settings;
    const { headers } = request;
    if (this.closedWith !== undefined) return { status: 503, text: this.closedWith, headers: AGAIN };
    if (auth) {
      const verdict = auth(headers.authorization);
      if (verdict === "malformed") return { status: 400, text: "Malformed credentials" };
      if (verdict === "wrong") return { status: 401, text: "Unauthorized", headers: { "www-authenticate": CHALLENGE } };
    }
    if (request.httpVersionMajor < 1) return { status: 400, text: "HTTP/0.9 is not spoken here" };
    if (hasSeveralHosts(request.rawHeaders)) return { status: 400, text: "More than one Host header" };
    if (!streamable && Number(headers["content-length"] ?? 0) > maxBodyBytes) {
      return { status: 413, text: `Request body exceeds maximum of ${maxBodyBytes} bytes` };
    }
    if (codings.length === 0) return undefined;
    if (streamable) return { status: 415, text: "A streamed body cannot be compressed" };
    const unknown = codings.length > 2 ? "more than two" : codings.find((one) => !CODINGS.has(one));
    if (unknown === undefined) return undefined;
    const text = `Content-Encoding ${unknown} is not supported`;
    return { status: 415, text, headers: { "accept-encoding": ACCEPTED } };
  }

  private admit(): void {
    while (this.waiting.length > 0 && this.active < this.parts.settings.concurrency) {
      const next = this.waiting.shift()!;
      if (!isGone(next.response)) this.start(next.request, next.response, next.expects, next.codings);
    }
  }

  private start(request: Request, response: Response, expects: boolean, codings: readonly string[]): void {
    this.active += 1;
    const { parts, consumer } = this;
    const started = parts.settings.streamable
      ? new StreamExchange(request, response, parts, consumer)
      : new Exchange(request, response, codings, parts, consumer);
    started.since = parts.clock.monotonic();
    this.open.add(started);
    this.look();
    started.read(expects);
  }

  private tooMany(request: Request, response: Response): void {
    const headers = { ...this.parts.answers.ownHeaders(request, undefined), ...AGAIN };
    answerUnread(request, response, 503, "The route has too many requests", headers);
  }

  private look(): void {
    this.cancelLook ??= this.parts.clock.timer(this.lookMs, this.looked);
  }

  private readonly looked = (): void => {
    this.cancelLook = undefined;
    const { timeoutMs, patienceMs } = this.parts.settings;
    const now = this.parts.clock.monotonic();
    this.consumer.expire(now);
    for (const one of this.open) {
      // A connection that ends closes only the response that it was writing.
      if (one.isAbandoned) one.closed();
      else if (now - one.since > timeoutMs) one.expire();
    }
    while (this.waiting.length > 0 && now - this.waiting[0]!.since > patienceMs) {
      const { request, response } = this.waiting.shift()!;
      this.tooMany(request, response);
    }
    if (this.open.size > 0 || this.waiting.length > 0) this.look();
  };
}

const ACCEPTED = [...CODINGS].join(", ");

/** Two names for one request: somebody means to confuse whoever stands in between. */
function hasSeveralHosts(raw: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}
