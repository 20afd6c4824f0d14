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
import { Commits } from "./commits.ts";
import { corrupt, Fetcher, type FetchHost } from "./fetcher.ts";
import { GroupMember, type Joined, type Turn } from "./group.ts";
import { committedOffsets, EARLIEST, LATEST, listOffsets, type Place } from "./offsets.ts";
import { Partition } from "./partition.ts";
import { type OpenDelivery, TransactionPositions } from "./positions.ts";
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
const MEMBER = "kafka member";
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
  private readonly member: GroupMember;
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
  private turn: ((turn: Turn) => void) | undefined;
  private wakeReceive: (() => void) | undefined;
  private wakeSettle: (() => void) | undefined;
  private closed: Promise<void> | undefined;
  private rebalances = 0;
  private lateCommits = 0;
  /** Partitions of each topic, as far as the leader of the group has shared out. */
  private counts: ReadonlyMap<string, number> = new Map();

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
    const { session } = context;
    this.member = new GroupMember(client, {
      groupId: settings.groupId,
      topics: settings.topics,
      options: settings.options,
      counts: async () => (this.counts = await this.countPartitions()),
      memberId: (session.get(MEMBER) as string | undefined) ?? "",
      remember: (memberId) => session.set(MEMBER, memberId),
    });
    this.commits = new Commits({
      member: this.member,
      clock: client.clock,
      failed: (error) => this.failed(error),
      turned: (turn) => this.endTurn(turn),
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
    this.endTurn("lost");
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
    return this.member.memberId;
  }

  get generation(): number {
    return this.member.generation;
  }

  get clusterId(): string | undefined {
    return this.client.clusterId;
  }

  positionsOf(batch: MessageBatch): ReturnType<TransactionSource["positionsOf"]> {
    return this.positions.of(batch, this.s.groupId);
  }

  private take(max: number): KafkaDelivery | undefined {
    const { order } = this;
    const at = order.findIndex((one) => one.hasRecords);
    if (at < 0) return undefined;
    const partition = order[at]!;
    let taken: ReturnType<Partition["take"]>;
    try {
      taken = partition.take(max);
    } catch (cause) {
      throw corrupt(cause, partition);
    }
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
        const joined = await this.join();
        if (this.isOver) return;
        await this.assign(joined);
        if (this.isOver) return;
        const turn = await this.untilTurn();
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

  private async join(): Promise<Joined> {
    if (!this.context.draining || this.hasJoined) return this.member.join();
    const { drainJoinMs, groupId } = this.s;
    const enough = new AbortController();
    const late = sleep(this.client.clock, drainJoinMs, enough.signal).then((isFull) => {
      if (!isFull) return new Promise<never>(() => {});
      throw kafkaErrors.GROUP_FAILED({ group: groupId, what: "be joined", reason: `not within ${drainJoinMs} ms` });
    });
    try {
      return await Promise.race([this.member.join(), late]);
    } finally {
      enough.abort();
    }
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
    const { readsCommitted } = this.options;
    const { signal } = this.stopping;
    const positions = isSubscriber ? this.remembered() : await committedOffsets(this.client, groupId, places, signal);
    const unknown = places.filter(({ topic, partition }) => !positions.has(partitionKey(topic, partition)));
    const reset = this.options.reset ?? (isSubscriber ? "latest" : "earliest");
    const [first] = unknown;
    if (first && reset === "error")
      throw kafkaErrors.NO_OFFSET({ topic: first.topic, partition: first.partition, group: groupId });
    const which = reset === "earliest" ? EARLIEST : LATEST;
    const begins = await listOffsets(this.client, unknown, which, readsCommitted, signal);
    const ends = this.context.draining
      ? await listOffsets(this.client, places, LATEST, readsCommitted, signal)
      : new Map<string, number>();
    if (this.isOver) return;
    for (const { topic, partition: number } of places) {
      const key = partitionKey(topic, number);
      const known = positions.get(key);
      const partition = new Partition(topic, number, known ?? begins.get(key)!, this.lostOnes.get(key));
      partition.end = ends.get(key);
      this.partitions.set(key, partition);
      if (isSubscriber) this.remember(partition);
      // What comes before the first commit would be skipped by the next start.
      else if (known === undefined && reset === "latest") this.commits.add(partition);
    }
  }

  private lose(partition: Partition): void {
    partition.lose();
    this.partitions.delete(partition.key);
    if (partition.handed > 0) this.lostOnes.set(partition.key, partition);
  }

  /** Heartbeats go on until the group shares out anew, or has lost this member. */
  private async untilTurn(): Promise<Turn> {
    const turned = new Promise<Turn>((resolve) => {
      this.turn = resolve;
    });
    const over = new AbortController();
    this.beat(over.signal).catch((error: unknown) => this.failed(error));
    this.lookForPartitions(over.signal).catch((error: unknown) => this.failed(error));
    const turn = await turned;
    // While deliveries settle the member must stay alive: `endGeneration` ends the heartbeats.
    this.stopBeating = () => over.abort();
    return turn;
  }

  private stopBeating: () => void = () => {};

  private async beat(over: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([over, this.stopping.signal]);
    while (await sleep(this.client.clock, this.options.heartbeatMs, signal)) {
      const turn = await this.member.heartbeat();
      if (turn) this.endTurn(turn);
      if (turn === "lost") return;
    }
  }

  /** The leader of the group notices partitions that were added, and has them shared out. */
  private async lookForPartitions(over: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([over, this.stopping.signal]);
    while (await sleep(this.client.clock, this.options.metadataMaxAgeMs, signal)) {
      if (!this.member.isLeader) continue;
      const now = await this.countPartitions();
      if ([...now].some(([topic, count]) => this.counts.get(topic) !== count)) this.endTurn("rebalance");
    }
  }

  private endTurn(turn: Turn): void {
    if (turn === "lost") for (const partition of [...this.partitions.values()]) this.lose(partition);
    const end = this.turn;
    this.turn = undefined;
    end?.(turn);
    this.wakeSettle?.();
  }

  private async endGeneration(turn: Turn): Promise<void> {
    try {
      if (turn === "lost") return;
      await this.settleInFlight();
      await this.commits.flush(LEAVE_LIMIT_MS);
    } finally {
      this.stopBeating();
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

  private async countPartitions(): Promise<ReadonlyMap<string, number>> {
    const infos = await this.client.topics(this.s.topics);
    return new Map([...infos].map(([topic, { leaders }]) => [topic, leaders.length]));
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
    this.turn?.("lost");
    if (!this.s.isSubscriber && this.hasJoined) await this.commits.flush(FLUSH_LIMIT_MS);
    for (const partition of [...this.partitions.values()]) this.lose(partition);
    await this.member.leave(LEAVE_LIMIT_MS);
    this.client.close();
  }
}

class KafkaDelivery implements Delivery, OpenDelivery {
  readonly batch;
  readonly partition: Partition;
  readonly epoch: number;
  readonly offsets: Float64Array;
  /** The position behind it, what is left out between it and the next record included. */
  readonly next: number;
  transacted = 0;
  private readonly consumer: KafkaConsumer;

  constructor(
    batch: Delivery["batch"],
    consumer: KafkaConsumer,
    partition: Partition,
    epoch: number,
    offsets: Float64Array,
    next: number,
  ) {
    this.batch = batch;
    this.consumer = consumer;
    this.partition = partition;
    this.epoch = epoch;
    this.offsets = offsets;
    this.next = next;
  }

  commit(dispositions?: readonly Disposition[]): Promise<void> {
    return this.consumer.settle(this, dispositions);
  }
}
