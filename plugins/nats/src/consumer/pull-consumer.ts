import {
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  type EndpointStatus,
  type MessageBatch,
  type MqbError,
  type OpenContext,
  type Shared,
} from "@mqb/core/plugin";
import type { Subscription } from "nats";
import type { Connection, Watcher } from "../client/connection.ts";
import type { ConsumerInfo, JetStreamApi } from "../client/jetstream-api.ts";
import { errors } from "../errors.ts";
import { isAckOf, originIn } from "../wire/ack-subject.ts";
import { Frame } from "../wire/frame.ts";
import type { Reading, Received } from "../wire/received.ts";
import { type Progress, placeNext } from "./durable.ts";
import { HEARTBEAT_MS, Pulls } from "./pulls.ts";
import { ReceivedQueue } from "./queue.ts";
import type { Replier } from "./replying.ts";
import { ACK_BODY, NAK_BODY, nakBody, tell, tellAll, WORKING_BODY } from "./settling.ts";
import { orAborted, within } from "./waiting.ts";

const NANOS_PER_MILLI = 1_000_000;
const DEFAULT_ACK_WAIT_MS = 30_000;
/** So many heartbeats may be missing. */
const SILENCE = 2.5;
const LOOK_AGAIN_MS = 1000;
const DRAIN_POLL_MS = 50;
/** What may be on the way to us when we say goodbye is waited for so long. */
const GOODBYE_MS = 700;
/** A third of the silence after which a consumer of our own is forgotten, at most. */
const PRESENCE_MS = 60_000;

export interface PullSettings {
  readonly stream: string;
  readonly subject: string;
  readonly info: ConsumerInfo;
  readonly inbox: string;
  readonly reading: Reading;
  readonly prefetch: number;
  readonly replier: Replier;
  /** Ack subjects of messages that an earlier connection had received and could not give back, and since when. */
  readonly leftOver: Map<string, number>;
  /** Of a consumer that is only ours. */
  readonly progress?: Progress;
}

/** Reads a JetStream consumer. Messages are asked for ahead of the route; each is acknowledged by itself. */
export class PullConsumer implements Consumer, Watcher {
  private readonly held: Shared<Connection>;
  private readonly connection: Connection;
  private readonly api: JetStreamApi;
  private readonly s: PullSettings;
  private readonly context: OpenContext;
  private readonly queue = new ReceivedQueue();
  private readonly pulls: Pulls;
  private readonly unsettled = new Set<PullDelivery>();
  private readonly closing = new AbortController();
  private readonly unwatch: () => void;
  private readonly subscription: Subscription;
  private readonly tickMs: number;
  private readonly workingMs: number;
  private readonly ackWaitMs: number;
  private cancelTick: () => void = () => {};
  private failure: MqbError | undefined;
  /** Most messages that the route takes at once; nothing is asked for before it has said so. */
  private max = 0;
  /** Messages that are given out and not settled. */
  private outstanding = 0;
  private heardAt: number;
  private isSuspected = false;
  /** When the server was last told that the messages of the queue are in work. */
  private queuedSince: number;
  /** The message that came last. */
  private readonly last = new Frame();
  private askedAt: number;
  private redelivered = 0;
  private closed: Promise<void> | undefined;

  constructor(held: Shared<Connection>, api: JetStreamApi, settings: PullSettings, context: OpenContext) {
    this.held = held;
    this.connection = held.value;
    this.api = api;
    this.s = settings;
    this.context = context;
    const { stream, info, inbox, prefetch } = settings;
    this.pulls = new Pulls(stream, info.name, inbox, prefetch, this.connection.maxPayload, info.config);
    const { ack_wait: nanos } = info.config;
    const ackWait = nanos === undefined ? DEFAULT_ACK_WAIT_MS : nanos / NANOS_PER_MILLI;
    this.ackWaitMs = ackWait;
    this.workingMs = ackWait / 3;
    this.tickMs = Math.max(100, Math.min(HEARTBEAT_MS, ackWait / 6));
    this.heardAt = this.queuedSince = this.askedAt = context.clock.monotonic();
    this.unwatch = this.connection.watch(this);
    this.subscription = this.connection.subscribe(
      `${inbox}.*`,
      (frame) => this.arrived(frame),
      () => this.fail(errors.NOT_PERMITTED({ target: this.connection.target, what: "receive messages" })),
    );
    this.giveBackLeftOver();
    this.tickLater(this.tickMs);
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    this.max = max;
    const stop = this.closing.signal;
    const { clock, draining } = this.context;
    while (!signal.aborted && !stop.aborted) {
      if (this.failure) throw this.failure;
      this.ask();
      if (this.queue.length > 0) return this.deliver(max);
      if (draining && (await this.isDrained(signal))) break;
      await this.queue.arrival(signal, clock, draining ? DRAIN_POLL_MS : undefined);
    }
    if (this.failure) throw this.failure;
    return { batch: batchOf([]), commit: async () => {} };
  }

  close(): Promise<void> {
    this.closed ??= this.shut();
    return this.closed;
  }

  status(): EndpointStatus {
    const { stream, subject, info, prefetch, replier } = this.s;
    const error = this.failure ?? this.connection.end;
    const { bytes, reply, replyEnd } = this.last;
    const waiting = originIn(bytes, reply, replyEnd)?.waiting ?? info.num_pending;
    return {
      healthy: error === undefined && this.closed === undefined,
      target: `${this.connection.target} ${stream} ${subject}`,
      pending: waiting + this.queue.length,
      capacity: prefetch,
      ...(error ? { error: error.message } : {}),
      details: {
        consumer: info.name,
        unacknowledged: this.outstanding + this.queue.length,
        redelivered: this.redelivered,
        ...(replier.failed > 0 ? { failedReplies: replier.failed } : {}),
      },
    };
  }

  lost(error: MqbError): void {
    this.fail(error);
  }

  denied(error: MqbError, subject: string): void {
    const { stream, replier } = this.s;
    const isOurs = subject.startsWith(`$JS.API.CONSUMER.MSG.NEXT.${stream}.`) || isAckOf(stream, subject);
    if (isOurs) this.fail(error);
    else replier.denied(subject);
  }

  /** Called once by each delivery. What belongs to a connection that has ended is the server's again. */
  async settle(delivery: PullDelivery, dispositions: readonly Disposition[] | undefined): Promise<void> {
    const { received, batch } = delivery;
    if (dispositions && dispositions.length !== received.length) {
      throw new TypeError(`${dispositions.length} dispositions for a batch of ${received.length}`);
    }
    if (this.closed || this.failure) throw this.failure ?? errors.CLOSED({});
    if (dispositions) this.tellEach(received, batch, dispositions);
    else this.connection.write(tellAll(received, ACK_BODY));
    delivery.isSettled = true;
    try {
      await this.connection.flush();
    } finally {
      // After a lost connection nobody knows which acks arrived: those that did not are given back at the next one.
      if (!this.connection.end && this.unsettled.delete(delivery)) {
        this.outstanding -= received.length;
        this.keepOwed(received, dispositions);
      }
    }
  }

  /** Where a consumer of our own would begin again. */
  private keepOwed(received: Received, dispositions: readonly Disposition[] | undefined): void {
    const owed = this.s.progress?.owed;
    if (!owed) return;
    for (let i = 0; i < received.length; i++) {
      const place = placeOf(received, i);
      if (dispositions?.[i]?.type === "nack") owed.add(place);
      else owed.delete(place);
    }
  }

  private tellEach(received: Received, batch: MessageBatch, dispositions: readonly Disposition[]): void {
    for (const [i, disposition] of dispositions.entries()) {
      if (disposition.type === "reply") this.s.replier.reply(batch.metadata(i), disposition.message);
      else if (disposition.type === "nack") {
        this.connection.write(tell(received.reply(i), nakBody(received.origin(i)?.deliveries ?? 1)));
      }
    }
    this.connection.write(tellAll(received, ACK_BODY, (i) => dispositions[i]!.type !== "nack"));
  }

  private deliver(max: number): Delivery {
    const received = this.queue.take(max);
    const now = this.context.clock.monotonic();
    const delivery = new PullDelivery(received, received.batch(this.s.reading), this.queuedSince, this);
    if (this.queue.length === 0) this.queuedSince = now;
    const { progress } = this.s;
    if (progress) for (const place of placesOf(received)) progress.highest = Math.max(progress.highest, place);
    this.unsettled.add(delivery);
    this.outstanding += received.length;
    this.ask();
    return delivery;
  }

  private ask(): void {
    const request = this.pulls.next(this.max, this.queue);
    if (request) this.write(request);
  }

  private write(request: Buffer): void {
    this.askedAt = this.context.clock.monotonic();
    this.connection.write(request);
  }

  private arrived(frame: Frame): void {
    const { last, queue } = this;
    this.heardAt = this.context.clock.monotonic();
    if (frame.replyEnd === 0) {
      this.heard(frame);
      return;
    }
    if (queue.length === 0) this.queuedSince = this.heardAt;
    this.pulls.arrived();
    last.bytes = frame.bytes;
    last.reply = frame.reply;
    last.replyEnd = frame.replyEnd;
    queue.push(frame);
  }

  /** The server says something about our requests. */
  private heard(message: Frame): void {
    const { stream, info } = this.s;
    const status = this.pulls.read(message);
    if (status.type === "gone") this.fail(errors.CONSUMER_GONE({ stream, consumer: info.name, reason: status.reason }));
    else if (status.type === "wrong") {
      this.fail(
        errors.API({ target: this.connection.target, what: `read ${info.name}`, code: 409, reason: status.reason }),
      );
    } else if (status.type === "ended") this.queue.wake();
    // What was refused is asked for again at the next tick.
  }

  private fail(error: MqbError): void {
    if (this.failure) return;
    this.failure = error;
    this.cancelTick();
    this.queue.wake();
  }

  /** Everything was read, and what others have read of it is settled: what they give back is still to come. */
  private async isDrained(signal: AbortSignal): Promise<boolean> {
    const { stream, info } = this.s;
    const look = this.api.consumer(stream, info.name);
    const given = AbortSignal.any([signal, this.closing.signal]);
    const found = await orAborted(look, given);
    if (given.aborted) return true;
    if (!found) throw errors.CONSUMER_GONE({ stream, consumer: info.name, reason: "it was deleted" });
    return this.queue.length === 0 && found.num_pending === 0 && found.num_ack_pending <= this.outstanding;
  }

  private tickLater(ms: number): void {
    this.cancelTick = this.context.clock.timer(ms, () => this.tick());
  }

  private tick(): void {
    const now = this.context.clock.monotonic();
    this.sayWorking(now);
    this.ask();
    // The server forgets a consumer of our own when nothing is asked of it, also while the route is busy.
    if (this.s.progress && this.pulls.asked === 0 && now - this.askedAt >= PRESENCE_MS)
      this.write(this.pulls.presence());
    const isSilent = this.pulls.asked > 0 && now - this.heardAt > SILENCE * HEARTBEAT_MS;
    // A process that was busy itself has not read what has arrived meanwhile: look once more.
    if (isSilent && this.isSuspected) {
      this.connection.giveUp(errors.LOST({ target: this.connection.target, reason: "its heartbeats are missing" }));
      return;
    }
    this.isSuspected = isSilent;
    this.tickLater(isSilent ? LOOK_AGAIN_MS : this.tickMs);
  }

  /** Long before the server would give messages to somebody else. */
  private sayWorking(now: number): void {
    for (const delivery of this.unsettled) {
      if (delivery.isSettled || now - delivery.told < this.workingMs) continue;
      delivery.told = now;
      this.connection.write(tellAll(delivery.received, WORKING_BODY));
    }
    if (this.queue.length === 0 || now - this.queuedSince < this.workingMs) return;
    this.queuedSince = now;
    this.connection.write(tellAll(this.queue.waiting(), WORKING_BODY));
  }

  private giveBackLeftOver(): void {
    const { leftOver } = this.s;
    if (leftOver.size === 0) return;
    // After the ack wait somebody else may have it.
    const since = this.context.clock.monotonic() - this.ackWaitMs;
    const ours = Array.from(leftOver).filter(([, keptAt]) => keptAt > since);
    leftOver.clear();
    this.redelivered += ours.length;
    if (ours.length > 0) this.connection.write(Buffer.concat(ours.map(([subject]) => tell(subject, NAK_BODY))));
  }

  private async shut(): Promise<void> {
    this.closing.abort();
    this.cancelTick();
    this.queue.wake();
    // First, since whoever closes us may not wait for our goodbye.
    this.keepLeftOver();
    this.keepProgress();
    if (!this.connection.end) await this.giveBack();
    this.keepProgress();
    this.unwatch();
    await this.held.release();
  }

  /** What came and was not settled goes back at once: otherwise it would after the ack wait only. */
  private async giveBack(): Promise<void> {
    const { clock } = this.context;
    // First nothing more is asked for, or what goes back would come to us again.
    const isAnswered = await within(this.subscription.drain(), GOODBYE_MS, clock);
    this.keepLeftOver();
    // A server that does not answer would not answer the rest.
    if (!isAnswered || this.connection.end || this.s.leftOver.size === 0) return;
    // Looking at the consumer makes the server forget requests that nobody listens for any more. One of 2.9 would lose a
    // message to such a request, until the ack wait is over.
    await within(this.api.consumer(this.s.stream, this.s.info.name), GOODBYE_MS, clock);
    const naks = Buffer.concat(Array.from(this.s.leftOver.keys(), (subject) => tell(subject, NAK_BODY)));
    this.connection.write(naks);
    if (await within(this.connection.flush(), GOODBYE_MS, clock)) this.s.leftOver.clear();
  }

  private keepLeftOver(): void {
    const now = this.context.clock.monotonic();
    const given = Array.from(this.unsettled, ({ received }) => received);
    for (const received of [...given, this.queue.waiting()])
      for (let i = 0; i < received.length; i++) this.s.leftOver.set(received.reply(i), now);
  }

  private keepProgress(): void {
    const { progress } = this.s;
    if (!progress) return;
    for (const { received } of this.unsettled) for (const place of placesOf(received)) progress.owed.add(place);
    for (const place of placesOf(this.queue.waiting())) progress.owed.add(place);
    placeNext(progress);
  }
}

function placeOf(received: Received, index: number): number {
  return received.origin(index)?.sequence ?? 0;
}

function placesOf(received: Received): number[] {
  return Array.from({ length: received.length }, (_, index) => placeOf(received, index));
}

class PullDelivery implements Delivery {
  readonly batch: MessageBatch;
  readonly received: Received;
  /** When the server was last told that it is in work. */
  told: number;
  isSettled = false;
  private readonly consumer: PullConsumer;

  constructor(received: Received, batch: MessageBatch, told: number, consumer: PullConsumer) {
    this.received = received;
    this.batch = batch;
    this.told = told;
    this.consumer = consumer;
  }

  commit(dispositions?: readonly Disposition[]): Promise<void> {
    return this.consumer.settle(this, dispositions);
  }
}
