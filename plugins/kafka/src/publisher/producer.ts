import { type Clock, type MqbError, sleep } from "@mqb/core/plugin";
import { CODE, hasMoved, isFenced, isFinal, nameOf, refusal } from "../classify.ts";
import type { BrokerConnection } from "../client/broker.ts";
import type { KafkaClient, TopicInfo } from "../client/client.ts";
import { findTopic, findTopicAgain } from "../client/topic.ts";
import { kafkaErrors } from "../errors.ts";
import type { ProducerOptions } from "../options/producer.ts";
import { CODECS, Codecs } from "../wire/codecs.ts";
import {
  type PartitionRecords,
  PRODUCE,
  PRODUCE_VERSIONS,
  parseProduced,
  partitionKey,
  produceRequest,
} from "../wire/produce.ts";
import { batchHead, NO_PRODUCER } from "../wire/record-batch.ts";
import type { Chunk } from "./encode.ts";
import { Identity } from "./identity.ts";

/** What became of one chunk. */
export type Written =
  | { readonly type: "stored" }
  /** The broker does not take this batch; smaller ones it may. */
  | { readonly type: "refused"; readonly code: number }
  | { readonly type: "failed"; readonly error: MqbError };

const STORED: Written = { type: "stored" };
/** Something in the batch is not to the broker's liking: it says so before it writes anything. */
const REFUSED: ReadonlySet<number> = new Set([
  CODE.MESSAGE_TOO_LARGE,
  CODE.RECORD_LIST_TOO_LARGE,
  CODE.INVALID_RECORD,
  CODE.INVALID_TIMESTAMP,
]);
/** The broker has lost track of this producer, or we of what it has: nothing was written, a new identity mends it. */
const OUT_OF_STEP: ReadonlySet<number> = new Set([
  CODE.OUT_OF_ORDER_SEQUENCE,
  CODE.UNKNOWN_PRODUCER_ID,
  CODE.INVALID_PRODUCER_EPOCH,
]);
const MAX_OUT_OF_STEP = 5;

/** Who writes in a transaction: fixed until it has ended. */
export interface Transaction {
  readonly id: string;
  readonly identity: Identity;
  /** Makes partitions part of the transaction, before anything is written to them. */
  readonly announce: (topic: string, partitions: readonly number[]) => Promise<unknown>;
}

/** Writes record batches to the leaders of their partitions. Shared by outputs with the same settings. */
export class Producer {
  readonly client: KafkaClient;
  readonly options: ProducerOptions;
  private readonly clock: Clock;
  private readonly codecs = new Codecs();
  private readonly known = new Map<string, { readonly info: TopicInfo; readonly at: number }>();
  private readonly closing = new AbortController();
  private identity: Promise<Identity> | undefined;

  constructor(client: KafkaClient, options: ProducerOptions) {
    this.client = client;
    this.options = options;
    this.clock = client.clock;
  }

  /** Takes what is known of a topic already. */
  learn(topic: string, info: TopicInfo): void {
    this.known.set(topic, { info, at: this.clock.monotonic() });
  }

  /** Who leads the partitions of a topic, as far as is known. Asks when that is old, or with `anew`. */
  async topic(topic: string, anew = false): Promise<TopicInfo> {
    const known = this.known.get(topic);
    const isOld = !known || this.clock.monotonic() - known.at > this.options.metadataMaxAgeMs;
    if (!isOld && !anew) return known.info;
    const { signal } = this.closing;
    const info = await (known
      ? findTopicAgain(this.client, topic, "output", signal)
      : findTopic(this.client, topic, "output"));
    this.learn(topic, info);
    return info;
  }

  /** Compresses the records of a chunk where the options say so and it helps. */
  async compress(chunk: Chunk): Promise<void> {
    const codec = CODECS[this.options.compression];
    if (codec === 0) return;
    const packed = await (this.codecs.get(codec) ?? (await this.codecs.load(codec))).compress(chunk.body);
    if (packed.length >= chunk.body.length) return;
    chunk.body = packed;
    chunk.codec = codec;
  }

  /**
   * Writes chunks of one topic; `settled` is called once for each, in any order. Chunks of one partition are written in their
   * order. Resolves when all are settled; never rejects.
   */
  async write(
    topic: string,
    chunks: readonly Chunk[],
    settled: (chunk: Chunk, written: Written) => void,
    transaction?: Transaction,
  ): Promise<void> {
    const began = this.clock.monotonic();
    let left = chunks;
    let outOfStep = 0;
    for (let isAgain = false; left.length > 0; isAgain = true) {
      const again: Chunk[] = [];
      let reason = 0;
      try {
        const info = await this.topic(topic, isAgain);
        const identity = transaction?.identity ?? (this.options.idempotent ? await this.currentIdentity() : undefined);
        const visit = (chunk: Chunk, code: number): void => {
          const written = this.judge(topic, chunk, code, transaction);
          if (written) settled(chunk, written);
          else {
            again.push(chunk);
            reason = code;
          }
        };
        if (transaction) await transaction.announce(topic, [...new Set(left.map(({ partition }) => partition))]);
        await this.round(
          topic,
          info,
          left,
          identity,
          visit,
          (chunk, error) => settled(chunk, { type: "failed", error }),
          transaction,
        );
      } catch (error) {
        for (const chunk of left) settled(chunk, { type: "failed", error: error as MqbError });
        return;
      }
      if (again.length === 0) return;
      left = again;
      if (OUT_OF_STEP.has(reason)) outOfStep += 1;
      const isLate = this.clock.monotonic() - began > this.options.deliveryTimeoutMs;
      const goesOn = !isLate && outOfStep <= MAX_OUT_OF_STEP;
      if (!goesOn || !(await sleep(this.clock, outOfStep > 0 ? 0 : this.options.retryPauseMs, this.closing.signal))) {
        for (const chunk of left) settled(chunk, { type: "failed", error: notStored(topic, chunk, reason) });
        return;
      }
    }
  }

  /** A new identity for what is written from now on. */
  forgetIdentity(identity: Identity): void {
    if (identity.isSpent) return;
    identity.isSpent = true;
    this.identity = undefined;
  }

  close(): void {
    this.closing.abort();
    this.client.close();
  }

  /** Sends every chunk once. What is written to a connection is written before anything is waited for. */
  private async round(
    topic: string,
    info: TopicInfo,
    chunks: readonly Chunk[],
    identity: Identity | undefined,
    visit: (chunk: Chunk, code: number) => void,
    fail: (chunk: Chunk, error: MqbError) => void,
    transaction: Transaction | undefined,
  ): Promise<void> {
    const byLeader = new Map<number, Chunk[]>();
    for (const chunk of chunks) {
      const leader = info.leaders[chunk.partition] ?? -1;
      const known = byLeader.get(leader);
      if (known) known.push(chunk);
      else byLeader.set(leader, [chunk]);
    }
    await Promise.all(
      Array.from(byLeader, async ([leader, those]) => {
        if (leader < 0) {
          for (const chunk of those) visit(chunk, CODE.LEADER_NOT_AVAILABLE);
          return;
        }
        let broker: BrokerConnection;
        try {
          broker = await this.client.broker(leader, "produce", this.options.maxInFlight);
          await broker.ready();
        } catch (error) {
          for (const chunk of those) fail(chunk, error as MqbError);
          return;
        }
        await Promise.all(
          layers(those).map(async (layer) => {
            try {
              const codes = await this.send(broker, topic, layer, identity, transaction);
              for (const chunk of layer) {
                const code = codes === undefined ? 0 : (codes.get(partitionKey(topic, chunk.partition)) ?? -1);
                if (code !== 0 && code !== CODE.DUPLICATE_SEQUENCE && identity && !transaction)
                  this.forgetIdentity(identity);
                visit(chunk, code);
              }
            } catch (error) {
              // Nobody knows what the broker has taken.
              if (identity && !transaction) this.forgetIdentity(identity);
              for (const chunk of layer) fail(chunk, error as MqbError);
            }
          }),
        );
      }),
    );
  }

  private send(
    broker: BrokerConnection,
    topic: string,
    layer: readonly Chunk[],
    identity: Identity | undefined,
    transaction: Transaction | undefined,
  ): Promise<Map<string, number> | undefined> {
    const { acks, ackTimeoutMs } = this.options;
    const timestamp = this.clock.now();
    const records = layer.map(({ partition, body, codec, positions }): PartitionRecords => {
      const count = positions.length;
      const head = batchHead(
        {
          codec,
          count,
          timestamp,
          producer: identity?.producer ?? NO_PRODUCER,
          sequence: identity?.take(topic, partition, count) ?? -1,
          transactional: transaction !== undefined,
        },
        body,
      );
      return { topic, partition, head, body };
    });
    const version = PRODUCE_VERSIONS.find((one) => broker.knows(PRODUCE, one));
    if (version === undefined) throw tooOld(broker, "Produce", PRODUCE_VERSIONS[1]);
    const body = produceRequest(records, { acks, timeoutMs: ackTimeoutMs, transactionalId: transaction?.id });
    const answers = acks !== 0;
    const answered = broker.raw({ apiKey: PRODUCE, name: "Produce", version, body, answers });
    return answered.then((bytes) => (answers ? parseProduced(bytes, version) : undefined));
  }

  /** Undefined = try it again. */
  private judge(topic: string, chunk: Chunk, code: number, transaction: Transaction | undefined): Written | undefined {
    if (code === 0 || code === CODE.DUPLICATE_SEQUENCE) return STORED;
    if (transaction === undefined && (hasMoved(code) || OUT_OF_STEP.has(code))) return undefined;
    if (REFUSED.has(code)) return { type: "refused", code };
    if (transaction && isFenced(code)) return { type: "failed", error: kafkaErrors.FENCED({ id: transaction.id }) };
    const { partition } = chunk;
    const error =
      refusal(code, `to write to the topic "${topic}"`) ??
      (isFinal(code) ? kafkaErrors.REFUSED({ topic, partition, reason: nameOf(code) }) : notStored(topic, chunk, code));
    return { type: "failed", error };
  }

  private currentIdentity(): Promise<Identity> {
    const making = (this.identity ??= this.makeIdentity());
    making.catch(() => {
      if (this.identity === making) this.identity = undefined;
    });
    return making;
  }

  private async makeIdentity(): Promise<Identity> {
    const broker = await this.client.anyBroker();
    const pause = this.options.retryPauseMs;
    for (let attempt = 0; ; attempt++) {
      const answer = await broker.request<{
        readonly errorCode: number;
        readonly producerId: string;
        readonly producerEpoch: number;
      }>("InitProducerId", { transactionalId: null, transactionTimeout: this.options.transactionTimeoutMs });
      if (answer.errorCode === 0) return new Identity(answer.producerId, answer.producerEpoch);
      const refused = refusal(answer.errorCode, "idempotent producers");
      if (refused) throw refused;
      const error = kafkaErrors.REQUEST_FAILED({
        target: broker.target,
        request: "InitProducerId",
        reason: nameOf(answer.errorCode),
      });
      if (attempt >= 50 || !(await sleep(this.clock, pause, this.closing.signal))) throw error;
    }
  }
}

/** A request holds one batch for each partition: the first ones, then the second ones, … */
function layers(chunks: readonly Chunk[]): Chunk[][] {
  const made: Chunk[][] = [];
  const seen = new Map<number, number>();
  for (const chunk of chunks) {
    const layer = seen.get(chunk.partition) ?? 0;
    seen.set(chunk.partition, layer + 1);
    (made[layer] ??= []).push(chunk);
  }
  return made;
}

function notStored(topic: string, { partition }: Chunk, code: number): MqbError {
  return kafkaErrors.NOT_STORED({ topic, partition, reason: nameOf(code) });
}

export function tooOld(broker: BrokerConnection, request: string, needed: number): MqbError {
  return kafkaErrors.TOO_OLD({ target: broker.target, request, needed });
}
