import { type Clock, kindOf, type MqbError, sleep } from "@mqb/core/plugin";
import { CODE, hasMoved, isFenced, isFinal, isOutOfStep, isUnsure, nameOf, refusal } from "../classify.ts";
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
import { Line, type Place } from "./line.ts";
import { type Cause, Patience } from "./patience.ts";

/** What became of one chunk. */
export type Written =
  | { readonly type: "stored" }
  /** The broker does not take this batch; smaller ones it may. */
  | { readonly type: "refused"; readonly code: number }
  | { readonly type: "failed"; readonly error: MqbError };

const STORED: Written = { type: "stored" };
/** Something in the batch is not to the broker's liking: it says so before it writes anything. */
const REFUSED: ReadonlySet<number> = new Set([CODE.MESSAGE_TOO_LARGE, CODE.RECORD_LIST_TOO_LARGE, CODE.INVALID_RECORD]);

/** One call of `write`. */
interface Write {
  readonly topic: string;
  readonly chunks: readonly Chunk[];
  readonly settled: (chunk: Chunk, written: Written) => void;
  readonly transaction?: Transaction | undefined;
  /** Of an idempotent producer: what it repeats keeps its order. */
  readonly line?: Line;
  readonly place?: Place;
}

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
  private readonly lines = new Map<string, Line>();
  private readonly closing = new AbortController();
  private identity: Promise<Identity> | undefined;
  /** Why something is written again and again at the moment. */
  trouble: string | undefined;

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
   * order. What an idempotent producer has no answer for is written again under the same numbers, so that the brokers store it
   * once. Resolves when all are settled; never rejects.
   */
  async write(
    topic: string,
    chunks: readonly Chunk[],
    settled: (chunk: Chunk, written: Written) => void,
    transaction?: Transaction,
  ): Promise<void> {
    if (transaction || !this.options.idempotent) return this.attempts({ topic, chunks, settled, transaction });
    const line = this.lines.get(topic) ?? new Line();
    this.lines.set(topic, line);
    const place = line.join();
    try {
      await this.attempts({ topic, chunks, settled, line, place });
    } finally {
      line.leave(place);
      if (line.isEmpty) this.lines.delete(topic);
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

  private get isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  private async attempts(write: Write): Promise<void> {
    const { topic, line, place } = write;
    const patience = new Patience(this.options, this.clock);
    let left = write.chunks;
    for (let isAgain = false; left.length > 0; isAgain = true) {
      // Also before it asks for anything: what is new would fail at once where a broker is away, and then what is repeated, too.
      const turn = isAgain ? line?.turnAgain(place!) : line?.turn(place!);
      if (turn) await turn;
      const again = new Map<Chunk, Cause>();
      const repeat = (chunk: Chunk, cause: Cause): void => {
        again.set(chunk, cause);
        // At once: other leaders may still be silent for long.
        if (place) place.isUnsure = true;
      };
      const fail = (chunk: Chunk, error: MqbError): void => {
        if (line && chunk.numbers && kindOf(error, "connection") === "connection" && !this.isClosed)
          repeat(chunk, error);
        else this.settle(write, chunk, { type: "failed", error });
      };
      const judge = (chunk: Chunk, code: number): void => {
        const written = this.judge(write, chunk, code);
        if (written) this.settle(write, chunk, written);
        else repeat(chunk, code);
      };
      try {
        await this.round(write, left, isAgain, judge, fail);
      } catch (error) {
        for (const chunk of left) fail(chunk, error as MqbError);
      }
      if (again.size === 0) return;
      left = left.filter((chunk) => again.has(chunk));
      const pauseMs = patience.pauseBefore([...again.values()]);
      this.trouble = [...again.values()].find((cause) => typeof cause === "object")?.message;
      if (pauseMs !== undefined && (await sleep(this.clock, pauseMs, this.closing.signal))) continue;
      this.trouble = undefined;
      for (const [chunk, cause] of again) {
        const error = typeof cause === "number" ? notStored(topic, chunk, cause) : cause;
        this.settle(write, chunk, { type: "failed", error });
      }
      return;
    }
  }

  private settle({ settled, transaction }: Write, chunk: Chunk, written: Written): void {
    if (written.type === "stored") this.trouble = undefined;
    // The numbers that it has taken are missing in the line: what comes behind it begins a new one.
    else if (chunk.numbers && !transaction) this.forgetIdentity(chunk.numbers.identity);
    settled(chunk, written);
  }

  /** Sends every chunk once. What is written to a connection is written before anything is waited for. */
  private async round(
    write: Write,
    chunks: readonly Chunk[],
    isAgain: boolean,
    judge: (chunk: Chunk, code: number) => void,
    fail: (chunk: Chunk, error: MqbError) => void,
  ): Promise<void> {
    const { topic, transaction, line, place } = write;
    const info = await this.topic(topic, isAgain);
    const identity = transaction?.identity ?? (this.options.idempotent ? await this.currentIdentity() : undefined);
    if (transaction) await transaction.announce(topic, [...new Set(chunks.map(({ partition }) => partition))]);
    const byLeader = new Map<number, Chunk[]>();
    for (const chunk of chunks) {
      const leader = info.leaders[chunk.partition] ?? -1;
      const known = byLeader.get(leader);
      if (known) known.push(chunk);
      else byLeader.set(leader, [chunk]);
    }
    let unbegun = byLeader.size;
    const begun = (): void => {
      unbegun -= 1;
      if (unbegun === 0) line?.begin(place!);
    };
    await Promise.all(
      Array.from(byLeader, async ([leader, those]) => {
        if (leader < 0) {
          begun();
          for (const chunk of those) judge(chunk, CODE.LEADER_NOT_AVAILABLE);
          return;
        }
        let broker: BrokerConnection;
        try {
          broker = await this.client.broker(leader, "produce", this.options.maxInFlight);
          await broker.ready();
          // Last of all: meanwhile something may have gone wrong with an earlier one.
          const turn = isAgain ? undefined : line?.turn(place!);
          if (turn) await turn;
        } catch (error) {
          begun();
          for (const chunk of those) fail(chunk, error as MqbError);
          return;
        }
        const sending = Promise.all(
          layers(those).map(async (layer) => {
            try {
              const codes = await this.send(broker, topic, layer, identity, transaction);
              for (const chunk of layer)
                judge(chunk, codes === undefined ? 0 : (codes.get(partitionKey(topic, chunk.partition)) ?? -1));
            } catch (error) {
              for (const chunk of layer) fail(chunk, error as MqbError);
            }
          }),
        );
        begun();
        await sending;
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
    const records = layer.map((chunk): PartitionRecords => {
      const { partition, body, codec, positions } = chunk;
      const count = positions.length;
      if (identity && (transaction || !chunk.numbers))
        chunk.numbers = { identity, sequence: identity.take(topic, partition, count) };
      const head = batchHead(
        {
          codec,
          count,
          timestamp,
          producer: chunk.numbers?.identity.producer ?? NO_PRODUCER,
          sequence: chunk.numbers?.sequence ?? -1,
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
  private judge({ topic, transaction }: Write, chunk: Chunk, code: number): Written | undefined {
    if (code === 0 || code === CODE.DUPLICATE_SEQUENCE) return STORED;
    if (transaction === undefined && isOutOfStep(code)) {
      if (chunk.numbers) this.forgetIdentity(chunk.numbers.identity);
      chunk.numbers = undefined;
      return undefined;
    }
    if (transaction === undefined && hasMoved(code)) return undefined;
    if (transaction === undefined && chunk.numbers && isUnsure(code)) return undefined;
    if (REFUSED.has(code)) return { type: "refused", code };
    // The time is ours, and no fault of the messages.
    if (code === CODE.INVALID_TIMESTAMP) return { type: "failed", error: kafkaErrors.CLOCK({ topic }) };
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
