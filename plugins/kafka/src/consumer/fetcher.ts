import { sleep } from "@mqb/core/plugin";
import { CODE, hasMoved, nameOf, refusal } from "../classify.ts";
import type { BrokerConnection } from "../client/broker.ts";
import type { KafkaClient } from "../client/client.ts";
import { findTopicAgain } from "../client/topic.ts";
import { kafkaErrors } from "../errors.ts";
import { groupBy } from "../group-by.ts";
import type { ConsumerOptions } from "../options/consumer.ts";
import { tooOld } from "../publisher/producer.ts";
import { type Codecs, MOST_UNPACKED } from "../wire/codecs.ts";
import { FETCH, FETCH_VERSIONS, type FetchedPartition, fetchRequest, parseFetched } from "../wire/fetch.ts";
import { DamagedBatch, FetchedRecords } from "../wire/record-reader.ts";
import type { Partition } from "./partition.ts";

export interface FetchHost {
  readonly client: KafkaClient;
  readonly options: ConsumerOptions;
  readonly codecs: Codecs;
  /** There are records, or an end has come nearer. */
  arrived(): void;
  failed(error: unknown): void;
  /** The offset that is wanted does not exist: resolves when the partition has another position. */
  outOfRange(partition: Partition): Promise<void>;
}

/** How long a broker may hold the answer while partitions are left out that may be wanted any moment. */
const SHORT_WAIT_MS = 20;
const LEAST_BYTES = 64 * 1024;
/** How much more than `max.partition.fetch.bytes` a batch may unfold to; a small one always. */
const UNPACKED_RATIO = 256;
const SMALL = 64 * 1024 * 1024;
const MOVED_PAUSE_MS = 200;
const MOVED_TRIES = 150;

/** Reads assigned partitions ahead, one request at a time from each broker, within a bound of bytes. */
export class Fetcher {
  private readonly host: FetchHost;
  private readonly partitions: readonly Partition[];
  /** Bytes that one partition may have read ahead. */
  private readonly share: number;
  private readonly stopping = new AbortController();
  private wakers: (() => void)[] = [];
  /** Answers that were fine. */
  private answers = 0;

  constructor(partitions: readonly Partition[], host: FetchHost) {
    this.partitions = partitions;
    this.host = host;
    this.share = Math.max(LEAST_BYTES, host.options.queuedBytes / Math.max(1, partitions.length));
  }

  start(): void {
    this.run().catch((error: unknown) => {
      if (!this.stopping.signal.aborted) this.host.failed(error);
    });
  }

  /** What is on its way is ignored when it comes. */
  stop(): void {
    this.stopping.abort();
    this.wake();
  }

  /** There may be room again. */
  wake(): void {
    for (const wake of this.wakers.splice(0)) wake();
  }

  private get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    for (let fruitless = 0; !this.isStopped; fruitless++) {
      const before = this.answers;
      const leaders = await this.leaders();
      if (this.isStopped) return;
      const leaderless = leaders.get(-1)?.[0];
      leaders.delete(-1);
      const round = new AbortController();
      const asksAgain = leaderless && this.endLater(round);
      const moved = await this.readFrom(leaders, round);
      if (this.isStopped) return;
      if (this.answers !== before) fruitless = 0;
      if (fruitless >= MOVED_TRIES) throw moved ?? noLeader(leaderless);
      // The others were read while nobody led one of them: they need not wait.
      if (await asksAgain) continue;
      if (!(await sleep(this.host.client.clock, MOVED_PAUSE_MS, this.stopping.signal))) return;
    }
  }

  /** Reads until the round ends, or a partition turns out to be led by another broker. */
  private async readFrom(
    leaders: ReadonlyMap<number, Partition[]>,
    round: AbortController,
  ): Promise<Error | undefined> {
    const loops = Array.from(leaders, async ([leader, those]) => {
      try {
        return await this.loop(leader, those, round.signal);
      } finally {
        this.endRound(round);
      }
    });
    return (await Promise.all(loops)).find((one) => one !== undefined);
  }

  /** Ends a round when it is time to ask again for a partition without a leader. False when it has ended before. */
  private async endLater(round: AbortController): Promise<boolean> {
    const signal = AbortSignal.any([round.signal, this.stopping.signal]);
    const isTime = await sleep(this.host.client.clock, MOVED_PAUSE_MS, signal);
    this.endRound(round);
    return isTime;
  }

  private endRound(round: AbortController): void {
    round.abort();
    this.wake();
  }

  private async leaders(): Promise<Map<number, Partition[]>> {
    const { client } = this.host;
    const topics = new Set(this.partitions.map(({ topic }) => topic));
    const infos = new Map<string, readonly number[]>();
    for (const topic of topics)
      infos.set(topic, (await findTopicAgain(client, topic, "input", this.stopping.signal)).leaders);
    return groupBy(this.partitions, ({ topic, number }) => infos.get(topic)?.[number] ?? -1);
  }

  /** Returns why it has to be asked anew who leads; undefined when it was stopped. */
  private async loop(leader: number, partitions: readonly Partition[], round: AbortSignal): Promise<Error | undefined> {
    const broker = await this.host.client.broker(leader, "fetch");
    const version = FETCH_VERSIONS.find((one) => broker.knows(FETCH, one));
    if (version === undefined) throw tooOld(broker, "Fetch", FETCH_VERSIONS[1]);
    while (!this.isStopped && !round.aborted) {
      const wanted = partitions.filter((one) => one.mayFetch && one.queuedBytes < this.share);
      const room = this.room();
      if (wanted.length === 0 || room <= 0) {
        await new Promise<void>((resolve) => this.wakers.push(resolve));
        continue;
      }
      const moved = await this.fetch(broker, version, wanted, room, wanted.length < partitions.length);
      if (moved) return moved;
    }
    return undefined;
  }

  private room(): number {
    let queued = 0;
    for (const { queuedBytes } of this.partitions) queued += queuedBytes;
    return this.host.options.queuedBytes - queued;
  }

  private async fetch(
    broker: BrokerConnection,
    version: number,
    wanted: readonly Partition[],
    room: number,
    leavesOut: boolean,
  ): Promise<Error | undefined> {
    const { options } = this.host;
    const asked = wanted.map((partition) => ({
      partition: partition.number,
      offset: partition.position,
      state: partition,
    }));
    const limits = {
      maxWaitMs: leavesOut ? Math.min(SHORT_WAIT_MS, options.maxWaitMs) : options.maxWaitMs,
      minBytes: options.minBytes,
      maxBytes: Math.min(options.maxBytes, room),
      maxPartitionBytes: options.maxPartitionBytes,
      readsCommitted: options.readsCommitted,
    };
    const body = [
      fetchRequest(
        groupBy(asked, ({ state }) => state.topic),
        limits,
        version,
      ),
    ];
    await broker.ready();
    const bytes = await broker.raw({ apiKey: FETCH, name: "Fetch", version, body, timeoutMs: limits.maxWaitMs + 5000 });
    if (this.isStopped) return undefined;
    const { error, partitions } = parseFetched(bytes, version);
    if (error !== 0)
      return kafkaErrors.REQUEST_FAILED({ target: broker.target, request: "Fetch", reason: nameOf(error) });
    let moved: Error | undefined;
    for (const fetched of partitions) {
      const one = asked.find(
        ({ partition, state }) => partition === fetched.partition && state.topic === fetched.topic,
      );
      if (one) moved ??= await this.take(one.state, one.offset, fetched, bytes);
      if (this.isStopped) return undefined;
    }
    this.host.arrived();
    return moved;
  }

  private async take(
    partition: Partition,
    offset: number,
    fetched: FetchedPartition,
    bytes: Buffer,
  ): Promise<Error | undefined> {
    const { topic, error: code } = fetched;
    const place = { topic, partition: partition.number };
    const isStale = (): boolean => partition.isLost || partition.position !== offset;
    if (isStale()) return undefined;
    if (code === CODE.OFFSET_OUT_OF_RANGE) {
      await this.host.outOfRange(partition);
      return undefined;
    }
    if (hasMoved(code)) return kafkaErrors.NO_LEADER({ ...place, reason: nameOf(code) });
    if (code !== 0) {
      throw (
        refusal(code, `to read the topic "${topic}"`) ?? kafkaErrors.FETCH_FAILED({ ...place, reason: nameOf(code) })
      );
    }
    this.answers += 1;
    partition.sees(fetched.highWatermark, this.host.client.clock.monotonic());
    if (fetched.end === fetched.start) return undefined;
    const { codecs, options } = this.host;
    try {
      const maxUnpackedBytes = Math.min(MOST_UNPACKED, Math.max(SMALL, options.maxPartitionBytes * UNPACKED_RATIO));
      const read = { codecs, checks: options.checksums, aborted: fetched.aborted, maxUnpackedBytes };
      const records = await FetchedRecords.scan(bytes, fetched.start, fetched.end, offset, read);
      if (records && records.next > offset && !isStale()) partition.add(records);
      return undefined;
    } catch (cause) {
      throw corrupt(cause, partition);
    }
  }
}

function noLeader(partition: Partition | undefined): Error {
  if (!partition) return kafkaErrors.CLOSED({ what: "input" });
  const { topic, number } = partition;
  return kafkaErrors.NO_LEADER({ topic, partition: number, reason: "none" });
}

/** The error of a batch that cannot be read; anything else as it is. */
export function corrupt(cause: unknown, { topic, number: partition }: Partition): unknown {
  if (!(cause instanceof DamagedBatch)) return cause;
  const { offset, message: reason } = cause;
  return kafkaErrors.CORRUPT({ topic, partition, offset, reason }, { cause });
}
