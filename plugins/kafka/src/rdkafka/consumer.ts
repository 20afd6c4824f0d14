import { batchOf, type Consumer, type Delivery, type EndpointStatus, type OpenContext, sleep } from "@mqb/core/plugin";
import { refusal } from "../classify.ts";
import type { KafkaClient } from "../client/client.ts";
import { findTopic, findTopicAgain } from "../client/topic.ts";
import { Assigned } from "../consumer/assigned.ts";
import { findBeginnings } from "../consumer/beginnings.ts";
import { MemberCommits, within } from "../consumer/commits.ts";
import { KafkaDelivery } from "../consumer/delivery.ts";
import { Partition } from "../consumer/partition.ts";
import { Remembered } from "../consumer/remembered.ts";
import { type ConsumerSettings, resetOf } from "../consumer/settings.ts";
import { Settler } from "../consumer/settler.ts";
import { watchEnds } from "../consumer/watermarks.ts";
import { kafkaErrors } from "../errors.ts";
import { partitionKey } from "../wire/produce.ts";
import { RdkafkaCommits } from "./commit.ts";
import {
  RD,
  type RdkafkaConsumerHandle,
  type RdkafkaError,
  type RdkafkaMessage,
  type RdkafkaOffset,
  type RdkafkaPlace,
  type RdkafkaSettings,
} from "./driver.ts";
import { messageOf } from "./messages.ts";
import { ReadyQueue } from "./queue.ts";
import { Reader } from "./reader.ts";

const NOTHING: Delivery = { batch: batchOf([]), commit: () => Promise.resolve() };
const FLUSH_LIMIT_MS = 800;
const LEAVE_LIMIT_MS = 1000;
/** How long a rebalance waits for deliveries that are on their way. */
const SETTLE_LIMIT_MS = 20_000;
const SEEK_LIMIT_MS = 5000;
const WATCH_MS = 1000;
const MOST_AT_ONCE = 1000;
const OPENED = "kafka opened";
const UNREADABLE: readonly number[] = [RD.BAD_MSG, RD.BAD_COMPRESSION, RD.NOT_IMPLEMENTED, RD.AUTO_OFFSET_RESET];

/** Reads topics through librdkafka, with the same promises as the other engine: it joins, fetches and commits; positions are ours. */
export class RdkafkaConsumer implements Consumer {
  private readonly client: KafkaClient;
  private readonly s: ConsumerSettings;
  private readonly context: OpenContext;
  private readonly handle: RdkafkaConsumerHandle;
  private readonly assigned = new Assigned();
  private readonly commits: MemberCommits;
  private readonly remembered: Remembered | undefined;
  private readonly settler: Settler;
  private readonly ready = new ReadyQueue();
  private readonly reader: Reader;
  private readonly stopping = new AbortController();
  /** The epoch to which the library reads. */
  private readonly sought = new Map<Partition, number>();
  private turns: Promise<void> = Promise.resolve();
  private failure: { readonly error: unknown } | undefined;
  private paused = true;
  private hasJoined = false;
  private rebalances = 0;
  private joined: () => void = () => {};
  private readonly joining: Promise<void>;
  private wakeReceive: (() => void) | undefined;
  private wakeSettle: (() => void) | undefined;
  private closed: Promise<void> | undefined;

  constructor(
    client: KafkaClient,
    settings: ConsumerSettings,
    context: OpenContext,
    makeHandle: (callbacks: RdkafkaSettings) => RdkafkaConsumerHandle,
  ) {
    this.client = client;
    this.s = settings;
    this.context = context;
    const { clock } = client;
    this.joining = new Promise((resolve) => {
      this.joined = resolve;
    });
    const rebalance = (error: RdkafkaError, places: readonly RdkafkaPlace[]): void => this.rebalance(error, places);
    const handle = makeHandle({ rebalance_cb: rebalance, offset_commit_cb: true });
    this.handle = handle;
    handle.on("event.error", (error: RdkafkaError) => this.met(error));
    const failed = (error: unknown): void => this.failed(error);
    const member = new RdkafkaCommits(handle, settings.groupId);
    this.commits = new MemberCommits({ member, clock, failed, turned: (turn) => this.turned(turn) });
    this.remembered = settings.isSubscriber ? new Remembered(context.session) : undefined;
    this.settler = new Settler({
      client,
      context,
      assigned: this.assigned,
      commits: this.commits,
      remembered: this.remembered,
      failure: () => this.failure,
      failed,
      emptied: () => this.emptied(),
    });
    this.reader = new Reader(handle, {
      clock,
      budget: settings.options.queuedBytes / 2,
      // What is damaged, or gone, must not be passed over behind messages that came.
      mostAtOnce: settings.options.checksums || resetOf(settings) === "error" ? 1 : MOST_AT_ONCE,
      places: () => this.places(),
      hasRoom: () => this.ready.isEmpty,
      came: (messages, ends) => this.came(messages, ends),
      failed: (error) => this.met(error),
    });
  }

  async open(signal: AbortSignal, connect: (handle: RdkafkaConsumerHandle) => Promise<void>): Promise<void> {
    const { session } = this.context;
    const find = session.has(OPENED) ? findTopicAgain : findTopic;
    for (const topic of this.s.topics) await find(this.client, topic, "input", signal);
    session.set(OPENED, true);
    await connect(this.handle);
    this.handle.subscribe(this.s.topics);
    this.reader.start();
    void watchEnds(this.client, this.assigned.partitions, 0, this.stopping.signal);
    this.watchBrokers().catch((error: unknown) => this.failed(error));
    if (!this.s.isSubscriber) return;
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([this.joining, aborted]);
    if (this.failure) throw this.failure.error;
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    for (;;) {
      if (this.failure) throw this.failure.error;
      if (this.closed) throw kafkaErrors.CLOSED({ what: "input" });
      const delivery = this.paused ? undefined : this.take(max);
      if (delivery) return delivery;
      if (signal.aborted || this.isDrained()) return NOTHING;
      await this.somethingNew(signal);
    }
  }

  close(): Promise<void> {
    return (this.closed ??= this.shut());
  }

  status(): EndpointStatus {
    const { topics, groupId, isSubscriber, options } = this.s;
    const error = this.failure?.error;
    const { lateCommits } = this.settler;
    return {
      healthy: !this.failure && !this.closed,
      target: topics.join(","),
      ...(this.hasJoined ? { pending: this.assigned.lag } : {}),
      capacity: options.queuedBytes,
      ...(error instanceof Error ? { error: error.message } : {}),
      details: {
        brokers: this.client.target,
        engine: "rdkafka",
        group: groupId,
        mode: isSubscriber ? "subscriber" : "group",
        assigned: this.assigned.names,
        rebalances: this.rebalances,
        ...(lateCommits > 0 ? { late_commits: lateCommits } : {}),
      },
    };
  }

  private take(max: number): KafkaDelivery | undefined {
    const portion = this.ready.take(max);
    if (this.ready.isEmpty) this.reader.wake();
    if (!portion) return undefined;
    const { partition, records, gone } = portion;
    if (gone !== undefined) this.wentBack(partition, gone);
    const messages = records.map((record) => messageOf(record, this.s.stamps));
    const offsets = Float64Array.from(records, ({ offset }) => offset);
    const next = partition.position;
    const delivery = new KafkaDelivery(batchOf(messages), this.settler, partition, partition.epoch, offsets, next);
    partition.open.push(delivery);
    return delivery;
  }

  private wentBack({ topic, number, settled }: Partition, from: number): void {
    const { log, route } = this.context;
    log.warn(`offset ${from} of partition ${number} of "${topic}" does not exist (any more); going on at ${settled}`, {
      route,
      topic,
      partition: number,
    });
  }

  private came(messages: readonly RdkafkaMessage[], ends: readonly RdkafkaOffset[]): void {
    for (const record of messages) {
      const partition = this.readable(record);
      if (partition) this.ready.add(partition, record);
    }
    for (const end of ends) {
      const partition = this.readable(end);
      if (!partition) continue;
      this.ready.reached(partition, end.offset);
      partition.sees(Math.max(partition.highWatermark, end.offset), this.client.clock.monotonic());
    }
    if (messages.length > 0 || ends.length > 0) this.wake();
  }

  /** The partition of a record; undefined where it belongs to what was before it was lost or read again. */
  private readable({ topic, partition: number }: RdkafkaPlace): Partition | undefined {
    const partition = this.assigned.partitions.get(partitionKey(topic, number));
    return partition && this.sought.get(partition) === partition.epoch ? partition : undefined;
  }

  private emptied(): void {
    for (const partition of this.assigned.partitions.values())
      if (partition.handed === 0 && this.sought.get(partition) !== partition.epoch) this.seek(partition);
    this.wakeSettle?.();
    this.wake();
  }

  /** What was given back is read again, when all that was on its way is settled. */
  private seek(partition: Partition): void {
    this.ready.drop(partition);
    this.reader.between(async () => {
      const { topic, number, position: offset, epoch } = partition;
      if (partition.isLost || this.isOver || this.sought.get(partition) === epoch) return;
      this.reader.resume();
      const error = await new Promise<RdkafkaError | null | undefined>((resolve) => {
        this.handle.seek({ topic, partition: number, offset }, SEEK_LIMIT_MS, resolve);
      });
      if (error) this.failed(kafkaErrors.FETCH_FAILED({ topic, partition: number, reason: error.message }));
      else this.sought.set(partition, epoch);
    });
  }

  private rebalance(error: RdkafkaError, places: readonly RdkafkaPlace[]): void {
    this.turns = this.turns
      .then(() => (error.code === RD.ASSIGN ? this.assign(places) : this.revoke()))
      .catch((failure: unknown) => {
        this.failed(failure);
        // The library waits for an answer to each rebalance, and its close for ever, in a thread of the pool.
        try {
          this.handle.unassign();
        } catch {
          // It has nothing to answer any more.
        }
      });
  }

  private async assign(places: readonly RdkafkaPlace[]): Promise<void> {
    if (this.isOver) return this.handle.assign([]);
    const { groupId, options } = this.s;
    const reset = resetOf(this.s);
    const beginnings = await findBeginnings(this.client, places, {
      groupId,
      reset,
      known: this.remembered?.positions,
      readsCommitted: options.readsCommitted,
      withEnds: this.context.draining,
      signal: this.stopping.signal,
    });
    if (this.isOver) return this.handle.assign([]);
    for (const { topic, partition: number, position, end, isNew } of beginnings) {
      const partition = new Partition(topic, number, position, this.assigned.lostOne(partitionKey(topic, number)));
      partition.end = end;
      this.assigned.add(partition);
      this.sought.set(partition, partition.epoch);
      if (this.remembered) this.remembered.keep(partition);
      else if (isNew && reset === "latest") {
        partition.committed = -1;
        this.commits.add(partition);
      }
    }
    this.assigned.arrange();
    this.handle.assign(beginnings.map(({ topic, partition, position: offset }) => ({ topic, partition, offset })));
    this.paused = false;
    this.hasJoined = true;
    this.commits.resume();
    this.joined();
    this.wake();
  }

  private async revoke(): Promise<void> {
    if (this.hasJoined) this.rebalances += 1;
    this.paused = true;
    this.ready.clear();
    this.reader.forget();
    if (!this.isOver) {
      await this.settleInFlight();
      await this.commits.flush(LEAVE_LIMIT_MS);
    }
    this.commits.hold();
    this.loseAll();
    this.handle.unassign();
  }

  private async settleInFlight(): Promise<void> {
    const enough = new AbortController();
    let isLate = false;
    const limitMs = Math.min(SETTLE_LIMIT_MS, this.s.options.rebalanceTimeoutMs / 2);
    void sleep(this.client.clock, limitMs, enough.signal).then((isFull) => {
      isLate = isFull;
      this.wakeSettle?.();
    });
    while (this.assigned.isBusy && !isLate && !this.isOver) {
      await new Promise<void>((resolve) => {
        this.wakeSettle = resolve;
      });
    }
    this.wakeSettle = undefined;
    enough.abort();
  }

  private turned(turn: "rebalance" | "lost"): void {
    if (turn === "lost") this.loseAll();
    this.wakeSettle?.();
  }

  private loseAll(): void {
    this.assigned.loseAll();
    this.sought.clear();
  }

  private places(): RdkafkaPlace[] {
    return Array.from(this.assigned.partitions.values(), ({ topic, number }) => ({ topic, partition: number }));
  }

  private met(error: RdkafkaError): void {
    const { code, message, isFatal } = error;
    const { target } = this.client;
    const topic = this.s.topics.join(",");
    const refused = refusal(code, `to read the topic "${topic}"`);
    if (refused) this.failed(refused);
    else if (UNREADABLE.includes(code)) this.failed(kafkaErrors.ENGINE_UNREADABLE({ topic, reason: message }));
    else if (isFatal) this.failed(kafkaErrors.LOST({ target, reason: message }));
    else if (code > 0) this.failed(kafkaErrors.REQUEST_FAILED({ target, request: "Fetch", reason: message }));
  }

  /** The library tries again for ever by itself and says little: with no broker left the route has to know. */
  private async watchBrokers(): Promise<void> {
    while (await sleep(this.client.clock, WATCH_MS, this.stopping.signal)) await this.client.topics(this.s.topics);
  }

  private failed(error: unknown): void {
    if (this.failure || this.closed) return;
    this.failure = { error };
    this.joined();
    this.wake();
    this.wakeSettle?.();
  }

  private get isOver(): boolean {
    return this.closed !== undefined || this.failure !== undefined;
  }

  private isDrained(): boolean {
    return this.context.draining && !this.paused && this.ready.isEmpty && this.assigned.isDrained;
  }

  private wake(): void {
    const wake = this.wakeReceive;
    this.wakeReceive = undefined;
    wake?.();
  }

  private somethingNew(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.wakeReceive = wake;
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  private async shut(): Promise<void> {
    this.stopping.abort();
    this.wake();
    this.joined();
    this.wakeSettle?.();
    const { clock } = this.client;
    if (!this.s.isSubscriber && this.hasJoined && !this.failure) await this.commits.flush(FLUSH_LIMIT_MS);
    this.commits.hold();
    this.loseAll();
    await within(clock, LEAVE_LIMIT_MS, this.disconnect());
    this.client.close();
  }

  /** The library's close waits for a commit under way, in a thread of the pool, and so until requests to a broker that is away are given up. */
  private async disconnect(): Promise<void> {
    await this.reader.stop();
    if (this.handle.isConnected()) await new Promise<void>((resolve) => this.handle.disconnect(() => resolve()));
  }
}
