import {
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  type EndpointStatus,
  type MessageBatch,
  type OpenContext,
  slabBatch,
  sleep,
} from "@mqb/core/plugin";
import type { KafkaClient } from "../client/client.ts";
import { findTopic, findTopicAgain } from "../client/topic.ts";
import { kafkaErrors } from "../errors.ts";
import type { ConsumerOptions } from "../options/consumer.ts";
import { type TransactionLink, type TransactionSource, transactionLink } from "../transaction-source.ts";
import { Codecs } from "../wire/codecs.ts";
import { RecordFields } from "../wire/fields.ts";
import { partitionKey } from "../wire/produce.ts";
import { findBeginnings } from "./beginnings.ts";
import { Commits } from "./commits.ts";
import { KafkaDelivery } from "./delivery.ts";
import { corrupt, Fetcher, type FetchHost } from "./fetcher.ts";
import type { Joined, Turn } from "./group.ts";
import { Membership } from "./membership.ts";
import { EARLIEST, LATEST, listOffsets, type Place } from "./offsets.ts";
import { Partition } from "./partition.ts";
import { TransactionPositions } from "./positions.ts";
import { Replier, type Reply } from "./replies.ts";

export interface ConsumerSettings {
  readonly topics: readonly string[];
  readonly groupId: string;
  /** The group is made up for this input: its position is kept in the session, not by the group. */
  readonly isSubscriber: boolean;
  readonly stamps: boolean;
  readonly options: ConsumerOptions;
  readonly drainJoinMs: number;
}

const DONE: Promise<void> = Promise.resolve();
const NOTHING: Delivery = { batch: batchOf([]), commit: () => DONE };
const LEAVE_LIMIT_MS = 1000;
const FLUSH_LIMIT_MS = 800;
/** How long a rebalance waits for deliveries that are on their way. */
const SETTLE_LIMIT_MS = 20_000;
const OPENED = "kafka opened";
const POSITIONS = "kafka positions";

/**
 * Reads topics as a member of a consumer group. A delivery holds records of one partition; settled positions are committed
 * behind the route's back, so that a crash repeats a little more than what was on its way, and loses nothing.
 */
export class KafkaConsumer implements Consumer, FetchHost, TransactionSource {
  readonly client: KafkaClient;
  readonly options: ConsumerOptions;
  readonly codecs = new Codecs();
  private readonly s: ConsumerSettings;
  private readonly context: OpenContext;
  private readonly membership: Membership;
  private readonly commits: Commits;
  private readonly partitions = new Map<string, Partition>();
  private readonly positions = new TransactionPositions(this.partitions);
  /** Lost ones with deliveries on their way. */
  private readonly lostOnes = new Map<string, Partition>();
  /** Whose turn it is: partitions are read in a circle. */
  private order: Partition[] = [];
  private fetcher: Fetcher | undefined;
  private replier: Replier | undefined;
  private readonly stopping = new AbortController();
  private readonly link: TransactionLink | undefined;
  private failure: { readonly error: unknown } | undefined;
  /** No assignment at the moment: nothing is handed out. */
  private paused = true;
  private hasJoined = false;
  private joined: () => void = () => {};
  private readonly joining: Promise<void>;
  private wakeReceive: (() => void) | undefined;
  private wakeSettle: (() => void) | undefined;
  private closed: Promise<void> | undefined;
  private rebalances = 0;
  private lateCommits = 0;

  constructor(client: KafkaClient, settings: ConsumerSettings, context: OpenContext) {
    this.client = client;
    this.s = settings;
    this.options = settings.options;
    this.context = context;
    if (!settings.isSubscriber && context.path === "input") {
      this.link = transactionLink(context);
      this.link.source = this;
    }
    this.joining = new Promise((resolve) => {
      this.joined = resolve;
    });
    this.membership = new Membership(client, {
      topics: settings.topics,
      groupId: settings.groupId,
      options: settings.options,
      session: context.session,
      signal: this.stopping.signal,
      failed: (error) => this.failed(error),
      turned: (turn) => this.turned(turn),
    });
    this.commits = new Commits({
      member: this.membership.member,
      clock: client.clock,
      failed: (error) => this.failed(error),
      turned: (turn) => this.membership.end(turn),
    });
  }

  /** Looks for the topics, and begins to join. A subscriber has joined when this resolves: it misses nothing from here on. */
  async open(signal: AbortSignal): Promise<void> {
    const { session } = this.context;
    const find = session.has(OPENED) ? findTopicAgain : findTopic;
    for (const topic of this.s.topics) await find(this.client, topic, "input", signal);
    session.set(OPENED, true);
    void this.run();
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
    const { topics, groupId, isSubscriber } = this.s;
    let pending = 0;
    const assigned: string[] = [];
    for (const { lag, topic, number } of this.partitions.values()) {
      pending += lag;
      assigned.push(`${topic}/${number}`);
    }
    const error = this.failure?.error;
    return {
      healthy: !this.failure && !this.closed,
      target: topics.join(","),
      ...(this.hasJoined ? { pending } : {}),
      capacity: this.options.queuedBytes,
      ...(error instanceof Error ? { error: error.message } : {}),
      details: {
        brokers: this.client.target,
        group: groupId,
        mode: isSubscriber ? "subscriber" : "group",
        assigned,
        rebalances: this.rebalances,
        ...(this.lateCommits > 0 ? { late_commits: this.lateCommits } : {}),
      },
    };
  }

  arrived(): void {
    const wake = this.wakeReceive;
    this.wakeReceive = undefined;
    wake?.();
  }

  failed(error: unknown): void {
    if (this.failure || this.closed) return;
    this.failure = { error };
    this.fetcher?.stop();
    this.joined();
    this.arrived();
    this.membership.end("rebalance");
  }

  async outOfRange(partition: Partition): Promise<void> {
    const { topic, number, position } = partition;
    const reset = this.options.reset ?? (this.s.isSubscriber ? "latest" : "earliest");
    if (reset === "error") throw kafkaErrors.OFFSET_GONE({ topic, partition: number, offset: position });
    const places = [{ topic, partition: number }];
    const which = reset === "earliest" ? EARLIEST : LATEST;
    const { readsCommitted } = this.options;
    const found = await listOffsets(this.client, places, which, readsCommitted, this.stopping.signal);
    const offset = found.get(partition.key)!;
    this.context.log.warn(
      `offset ${position} of partition ${number} of "${topic}" does not exist (any more); going on at ${offset}`,
      { route: this.context.route, topic, partition: number },
    );
    partition.rewind(offset);
    partition.settled = offset;
  }

  get groupId(): string {
    return this.s.groupId;
  }

  get memberId(): string {
    return this.membership.member.memberId;
  }

  get generation(): number {
    return this.membership.member.generation;
  }

  get clusterId(): string | undefined {
    return this.client.clusterId;
  }

  positionsOf(batch: MessageBatch): ReturnType<TransactionSource["positionsOf"]> {
    return this.positions.of(batch, this.s.groupId);
  }

  private take(max: number): KafkaDelivery | undefined {
    const { order } = this;
    let at: number;
    let taken: ReturnType<Partition["take"]>;
    do {
      at = order.findIndex((one) => one.hasRecords);
      if (at < 0) return undefined;
      try {
        taken = order[at]!.take(max);
      } catch (cause) {
        throw corrupt(cause, order[at]!);
      }
      if (!taken) this.fetcher?.wake();
    } while (!taken);
    const partition = order[at]!;
    const { chunk, from, to, next } = taken;
    // The others come before it is its turn again.
    if (order.length > 1 && !(partition.hasRecords && to - from < max))
      this.order = [...order.slice(at + 1), ...order.slice(0, at + 1)];
    this.fetcher?.wake();
    const { topic, number, epoch } = partition;
    const slab = { bytes: chunk.bytes, starts: chunk.starts.subarray(from, to), ends: chunk.ends.subarray(from, to) };
    const fields = new RecordFields(chunk, from, { topic, partition: number, stamps: this.s.stamps });
    const delivery = new KafkaDelivery(
      slabBatch(slab, fields),
      this,
      partition,
      epoch,
      chunk.offsets.subarray(from, to),
      next,
    );
    partition.open.push(delivery);
    if (this.s.stamps) this.positions.handOut(delivery);
    return delivery;
  }

  /** Called once by each delivery, in the order of receipt. */
  settle(delivery: KafkaDelivery, dispositions: readonly Disposition[] | undefined): Promise<void> {
    const replies = dispositions ? this.repliesIn(delivery, dispositions) : [];
    if (replies.length > 0) {
      this.replier ??= new Replier(this.client, this.context.log, this.context.route);
      return this.replier.send(replies).then(
        () => this.advance(delivery, dispositions),
        (error: unknown) => {
          this.failed(error);
          throw error;
        },
      );
    }
    this.advance(delivery, dispositions);
    return this.failure ? Promise.reject(this.failure.error) : DONE;
  }

  private advance(delivery: KafkaDelivery, dispositions: readonly Disposition[] | undefined): void {
    const { partition, epoch, offsets, next } = delivery;
    partition.open.splice(partition.open.indexOf(delivery), 1);
    const nacked = dispositions ? dispositions.findIndex(({ type }) => type === "nack") : -1;
    if (partition.isLost) {
      // Whoever has the partition now reads these messages again: nothing is lost, and nothing may be said about it.
      this.lateCommits += 1;
      const { log, route } = this.context;
      log.debug(`a commit for partition ${partition.number} of "${partition.topic}" came after it was lost`, { route });
      if (partition.handed === 0) this.lostOnes.delete(partition.key);
    } else if (epoch === partition.epoch) {
      // What is behind a nack is read again, whatever became of it.
      partition.settled = nacked < 0 ? next : offsets[nacked]!;
      // Markers at the end of what was read have nobody else to settle them.
      if (nacked < 0 && partition.handed === 0 && !partition.hasRecords) partition.settled = partition.position;
      if (nacked >= 0) partition.rewind(partition.settled);
      if (this.s.isSubscriber) this.remember(partition);
      else if (partition.settled > partition.committed) this.commits.add(partition);
    }
    if (partition.handed === 0) {
      this.fetcher?.wake();
      this.wakeSettle?.();
    }
  }

  private repliesIn({ batch }: KafkaDelivery, dispositions: readonly Disposition[]): Reply[] {
    if (this.s.isSubscriber) return [];
    const replies: Reply[] = [];
    for (const [i, disposition] of dispositions.entries()) {
      if (disposition.type === "reply") replies.push({ request: batch.metadata(i), message: disposition.message });
    }
    return replies;
  }

  private isDrained(): boolean {
    return this.context.draining && !this.paused && this.order.every((one) => one.isDrained);
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

  /** One generation of the group after the other, until the end. */
  private async run(): Promise<void> {
    try {
      while (!this.isOver) {
        const isFirst = this.context.draining && !this.hasJoined;
        const joined = await this.membership.join(isFirst ? this.s.drainJoinMs : undefined);
        if (this.isOver) return;
        await this.assign(joined);
        if (this.isOver) return;
        const turn = await this.membership.untilTurn();
        if (this.isOver) return;
        this.rebalances += 1;
        this.paused = true;
        this.fetcher?.stop();
        await this.endGeneration(turn);
      }
    } catch (error) {
      this.failed(error);
    }
  }

  private get isOver(): boolean {
    return this.closed !== undefined || this.failure !== undefined;
  }

  private async assign({ assignment, goesOn }: Joined): Promise<void> {
    const places: Place[] = [];
    const kept = new Set<string>();
    for (const [topic, numbers] of assignment) {
      for (const number of numbers) {
        const key = partitionKey(topic, number);
        if (goesOn && this.partitions.has(key)) kept.add(key);
        else places.push({ topic, partition: number });
      }
    }
    for (const partition of [...this.partitions.values()]) if (!kept.has(partition.key)) this.lose(partition);
    await this.add(places);
    if (this.isOver) return;
    this.order = [...this.partitions.values()];
    this.fetcher = new Fetcher(this.order, this);
    this.fetcher.start();
    this.paused = false;
    this.hasJoined = true;
    this.joined();
    this.commits.resume();
    this.arrived();
  }

  /** New partitions, each with the position at which reading begins. */
  private async add(places: readonly Place[]): Promise<void> {
    if (places.length === 0) return;
    const { isSubscriber, groupId } = this.s;
    const reset = this.options.reset ?? (isSubscriber ? "latest" : "earliest");
    const beginnings = await findBeginnings(this.client, places, {
      groupId,
      reset,
      known: isSubscriber ? this.remembered() : undefined,
      readsCommitted: this.options.readsCommitted,
      withEnds: this.context.draining,
      signal: this.stopping.signal,
    });
    if (this.isOver) return;
    for (const { topic, partition: number, position, end, isNew } of beginnings) {
      const key = partitionKey(topic, number);
      const partition = new Partition(topic, number, position, this.lostOnes.get(key));
      partition.end = end;
      this.partitions.set(key, partition);
      if (isSubscriber) this.remember(partition);
      // What comes before the first commit would be skipped by the next start.
      else if (isNew && reset === "latest") this.commits.add(partition);
    }
  }

  private lose(partition: Partition): void {
    partition.lose();
    this.partitions.delete(partition.key);
    if (partition.handed > 0) this.lostOnes.set(partition.key, partition);
  }

  /** Of a generation that is over for us nothing is committed any more. */
  private turned(turn: Turn): void {
    if (turn === "lost") for (const partition of [...this.partitions.values()]) this.lose(partition);
    this.wakeSettle?.();
  }

  private async endGeneration(turn: Turn): Promise<void> {
    try {
      if (turn === "lost") return;
      await this.settleInFlight();
      await this.commits.flush(LEAVE_LIMIT_MS);
    } finally {
      this.membership.stopBeating();
      this.commits.hold();
    }
  }

  private async settleInFlight(): Promise<void> {
    const enough = new AbortController();
    const limit = sleep(
      this.client.clock,
      Math.min(SETTLE_LIMIT_MS, this.options.rebalanceTimeoutMs / 2),
      enough.signal,
    );
    let isLate = false;
    void limit.then((isFull) => {
      isLate = isFull;
      this.wakeSettle?.();
    });
    const isBusy = (): boolean => [...this.partitions.values()].some(({ handed }) => handed > 0);
    while (isBusy() && !isLate && !this.isOver) {
      await new Promise<void>((resolve) => {
        this.wakeSettle = resolve;
      });
    }
    this.wakeSettle = undefined;
    enough.abort();
  }

  private remembered(): Map<string, number> {
    const { session } = this.context;
    const known = (session.get(POSITIONS) as Map<string, number> | undefined) ?? new Map<string, number>();
    session.set(POSITIONS, known);
    return known;
  }

  private remember({ key, settled }: Partition): void {
    this.remembered().set(key, settled);
  }

  private async shut(): Promise<void> {
    if (this.link?.source === this) this.link.source = undefined;
    this.fetcher?.stop();
    this.stopping.abort();
    this.arrived();
    this.joined();
    this.wakeSettle?.();
    this.membership.end("rebalance");
    if (!this.s.isSubscriber && this.hasJoined) await this.commits.flush(FLUSH_LIMIT_MS);
    for (const partition of [...this.partitions.values()]) this.lose(partition);
    await this.membership.member.leave(LEAVE_LIMIT_MS);
    this.client.close();
  }
}
