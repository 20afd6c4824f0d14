import {
  batchOf,
  type Consumer,
  type Delivery,
  type EndpointStatus,
  type OpenContext,
  slabBatch,
} from "@mqb/core/plugin";
import type { KafkaClient } from "../client/client.ts";
import { findTopic, findTopicAgain } from "../client/topic.ts";
import { kafkaErrors } from "../errors.ts";
import type { ConsumerOptions } from "../options/consumer.ts";
import { type TransactionLink, transactionLink } from "../transaction-source.ts";
import { Codecs } from "../wire/codecs.ts";
import { RecordFields } from "../wire/fields.ts";
import { Assigned } from "./assigned.ts";
import { beginAgain } from "./beginnings.ts";
import { type Commits, MemberCommits } from "./commits.ts";
import { KafkaDelivery } from "./delivery.ts";
import { Fetcher, type FetchHost } from "./fetcher.ts";
import { Generations } from "./generations.ts";
import { Membership } from "./membership.ts";
import type { Partition, Taken } from "./partition.ts";
import { TransactionPositions } from "./positions.ts";
import { Remembered } from "./remembered.ts";
import { type ConsumerSettings, resetOf } from "./settings.ts";
import { Settler } from "./settler.ts";
import { TransactionCommits } from "./transaction-commits.ts";
import { TransactionInput } from "./transaction-input.ts";
import { watchEnds } from "./watermarks.ts";

const NOTHING: Delivery = { batch: batchOf([]), commit: () => Promise.resolve() };
const LEAVE_LIMIT_MS = 1000;
const FLUSH_LIMIT_MS = 800;
const OPENED = "kafka opened";

/**
 * Reads topics as a member of a consumer group. A delivery holds records of one partition; settled positions are committed
 * behind the route's back, so that a crash repeats a little more than what was on its way, and loses nothing.
 */
export class KafkaConsumer implements Consumer, FetchHost {
  readonly client: KafkaClient;
  readonly options: ConsumerOptions;
  readonly codecs = new Codecs();
  private readonly s: ConsumerSettings;
  private readonly context: OpenContext;
  private readonly assigned = new Assigned();
  private readonly membership: Membership;
  private readonly commits: Commits;
  private readonly positions: TransactionPositions;
  private readonly settler: Settler;
  private readonly generations: Generations;
  private readonly link: TransactionLink | undefined;
  private readonly source: TransactionInput;
  private fetcher: Fetcher | undefined;
  private readonly stopping = new AbortController();
  private failure: { readonly error: unknown } | undefined;
  /** No assignment at the moment: nothing is handed out. */
  private paused = true;
  private joined: () => void = () => {};
  private readonly joining: Promise<void>;
  private wakeReceive: (() => void) | undefined;
  private closed: Promise<void> | undefined;

  constructor(client: KafkaClient, settings: ConsumerSettings, context: OpenContext) {
    this.client = client;
    this.s = settings;
    this.options = settings.options;
    this.context = context;
    const { assigned, stopping } = this;
    const { isSubscriber, groupId, topics, options } = settings;
    const failed = (error: unknown): void => this.failed(error);
    this.joining = new Promise((resolve) => {
      this.joined = resolve;
    });
    this.membership = new Membership(client, {
      topics,
      groupId,
      options,
      session: context.session,
      signal: stopping.signal,
      failed,
      turned: (turn) => this.generations.turned(turn),
    });
    const { member } = this.membership;
    const link = isSubscriber ? undefined : transactionLink(context);
    if (link?.sink) {
      const commits = new TransactionCommits({ link, clock: client.clock, failed });
      this.commits = commits;
      this.positions = new TransactionPositions(assigned.partitions, () => commits.pending());
    } else {
      this.commits = new MemberCommits({
        member,
        clock: client.clock,
        failed,
        turned: (turn) => this.membership.end(turn),
      });
      this.positions = new TransactionPositions(assigned.partitions, () => []);
    }
    this.source = new TransactionInput(groupId, client, member, this.positions);
    if (link && context.path === "input") {
      this.link = link;
      link.source = this.source;
    }
    const remembered = isSubscriber ? new Remembered(context.session) : undefined;
    const parts = { client, settings, assigned, remembered, commits: this.commits };
    this.settler = new Settler({
      ...parts,
      context,
      failure: () => this.failure,
      failed,
      emptied: () => {
        this.fetcher?.wake();
        this.generations.wake();
      },
    });
    this.generations = new Generations({
      ...parts,
      draining: context.draining,
      membership: this.membership,
      signal: stopping.signal,
      isOver: () => this.isOver,
      began: () => this.begin(),
      ended: () => {
        this.paused = true;
        this.fetcher?.stop();
      },
    });
  }

  /** Looks for the topics, and begins to join. A subscriber has joined when this resolves: it misses nothing from here on. */
  async open(signal: AbortSignal): Promise<void> {
    const { session } = this.context;
    const find = session.has(OPENED) ? findTopicAgain : findTopic;
    for (const topic of this.s.topics) await find(this.client, topic, "input", signal);
    session.set(OPENED, true);
    this.generations.run().catch((error: unknown) => this.failed(error));
    const quietMs = 2 * this.options.maxWaitMs;
    void watchEnds(this.client, this.assigned.partitions, quietMs, this.stopping.signal);
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
    const error = this.failure?.error;
    const { hasJoined, rebalances } = this.generations;
    const { lateCommits } = this.settler;
    return {
      healthy: !this.failure && !this.closed,
      target: topics.join(","),
      ...(hasJoined ? { pending: this.assigned.lag } : {}),
      capacity: this.options.queuedBytes,
      ...(error instanceof Error ? { error: error.message } : {}),
      details: {
        brokers: this.client.target,
        group: groupId,
        mode: isSubscriber ? "subscriber" : "group",
        assigned: this.assigned.names,
        rebalances,
        ...(lateCommits > 0 ? { late_commits: lateCommits } : {}),
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
    const { position, topic, number } = partition;
    const reset = resetOf(this.s);
    const offset = await beginAgain(this.client, partition, reset, this.options.readsCommitted, this.stopping.signal);
    this.context.log.warn(
      `offset ${position} of partition ${number} of "${topic}" does not exist (any more); going on at ${offset}`,
      { route: this.context.route, topic, partition: number },
    );
  }

  private begin(): void {
    this.fetcher = new Fetcher(this.assigned.arrange(), this);
    this.fetcher.start();
    this.paused = false;
    this.joined();
    this.arrived();
  }

  private take(max: number): KafkaDelivery | undefined {
    const found = this.assigned.take(max, () => this.fetcher?.wake());
    if (!found) return undefined;
    this.fetcher?.wake();
    return this.deliver(found.partition, found.taken);
  }

  private deliver(partition: Partition, { chunk, from, to, next }: Taken): KafkaDelivery {
    const { topic, number, epoch } = partition;
    const slab = { bytes: chunk.bytes, starts: chunk.starts.subarray(from, to), ends: chunk.ends.subarray(from, to) };
    const fields = new RecordFields(chunk, from, { topic, partition: number, stamps: this.s.stamps });
    const delivery = new KafkaDelivery(
      slabBatch(slab, fields),
      this.settler,
      partition,
      epoch,
      chunk.offsets.subarray(from, to),
      next,
    );
    partition.open.push(delivery);
    if (this.s.stamps) this.positions.handOut(delivery);
    return delivery;
  }

  private isDrained(): boolean {
    return this.context.draining && !this.paused && this.assigned.isDrained;
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

  private get isOver(): boolean {
    return this.closed !== undefined || this.failure !== undefined;
  }

  private async shut(): Promise<void> {
    this.fetcher?.stop();
    this.stopping.abort();
    this.arrived();
    this.joined();
    this.generations.wake();
    this.membership.end("rebalance");
    if (!this.s.isSubscriber && this.generations.hasJoined) await this.commits.flush(FLUSH_LIMIT_MS);
    this.commits.hold();
    if (this.link?.source === this.source) this.link.source = undefined;
    this.assigned.loseAll();
    await this.membership.member.leave(LEAVE_LIMIT_MS);
    this.client.close();
  }
}
