import {
  ACCEPTED,
  batchOf,
  type EndpointStatus,
  failed,
  kindOf,
  type MessageBatch,
  type MqbError,
  type Outcome,
  type Publisher,
  sleep,
} from "@mqb/core/plugin";
import { CODE, isFenced, isFinal, nameOf, refusal } from "../classify.ts";
import type { BrokerConnection } from "../client/broker.ts";
import type { CommittedOffset } from "../consumer/group.ts";
import { kafkaErrors } from "../errors.ts";
import { groupBy } from "../group-by.ts";
import type { TransactionLink, TransactionOffsets, TransactionSink, TransactionSource } from "../transaction-source.ts";
import { parseTxnOffsets, TXN_OFFSET_COMMIT, TXN_OFFSETS_VERSION, txnOffsetsRequest } from "../wire/txn-offsets.ts";
import { Identity } from "./identity.ts";
import { Outcomes } from "./outcomes.ts";
import { tooOld } from "./producer.ts";
import type { KafkaPublisher } from "./publisher.ts";
import type { RecordBatches } from "./record-batches.ts";

const PAUSE_MS = 20;
const TRIES = 500;
/** How long giving a transaction up may take; the broker does it by itself when `transaction.timeout.ms` is over. */
const ABORT_LIMIT_MS = 1000;
const WAITS: ReadonlySet<number> = new Set([
  CODE.CONCURRENT_TRANSACTIONS,
  CODE.COORDINATOR_LOAD_IN_PROGRESS,
  CODE.COORDINATOR_NOT_AVAILABLE,
  CODE.NOT_COORDINATOR,
]);

/**
 * Writes each batch in one transaction, together with the positions that it brings the input to. All of it becomes visible, or
 * nothing. When it cannot be said which, the route opens both ends again: beginning anew settles the transaction first.
 */
export class TransactionalPublisher implements Publisher, TransactionSink {
  private readonly inner: KafkaPublisher;
  private readonly records: RecordBatches;
  private readonly id: string;
  private readonly link: TransactionLink;
  private readonly closing = new AbortController();
  private identity: Identity | undefined;
  private transactions = 0;
  /** The broker has begun the transaction of the current batch. */
  private isOpen = false;
  private sending: Promise<unknown> | undefined;

  constructor(inner: KafkaPublisher, records: RecordBatches, id: string, link: TransactionLink) {
    this.inner = inner;
    this.records = records;
    this.id = id;
    this.link = link;
  }

  /** Ends what an earlier producer of this id has left open, and takes its place. */
  async begin(): Promise<void> {
    const { transactionTimeoutMs } = this.records.producer.options;
    const call = { transactionalId: this.id, transactionTimeout: transactionTimeoutMs };
    const answer = await this.ask<{ producerId: string; producerEpoch: number }>("InitProducerId", call, "begin");
    this.identity = new Identity(answer.producerId, answer.producerEpoch);
    this.link.sink = this;
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    return this.inTurn(() => this.attempt(batch, this.sourceOf(), signal));
  }

  async commitPositions(): Promise<void> {
    await this.inTurn(() => this.writePositions());
  }

  /** A transaction that is under way is given up, so that it holds up nobody who reads its topics. */
  async close(): Promise<void> {
    if (this.link.sink === this) this.link.sink = undefined;
    this.closing.abort();
    if (this.sending) await this.within(this.sending, new AbortController());
    return this.inner.close();
  }

  status(): EndpointStatus {
    const status = this.inner.status();
    return { ...status, details: { ...status.details, transactional_id: this.id, transactions: this.transactions } };
  }

  /** One transaction after the other. */
  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    while (this.sending) await this.sending.catch(() => {});
    const sending = work();
    this.sending = sending;
    try {
      return await sending;
    } finally {
      this.sending = undefined;
    }
  }

  private sourceOf(): TransactionSource {
    const { source } = this.link;
    if (!source) {
      const reason = "the input of the route is no kafka group";
      throw kafkaErrors.NOT_OUR_INPUT({ id: this.id, reason });
    }
    const { clusterId } = this.records.producer.client;
    if (clusterId !== source.clusterId)
      throw kafkaErrors.NOT_OUR_INPUT({ id: this.id, reason: "input and output are on different clusters" });
    return source;
  }

  private async writePositions(): Promise<void> {
    const source = this.sourceOf();
    const positions = source.settledPositions();
    if (positions.offsets.length === 0) return;
    if (!this.identity) await this.begin();
    try {
      await this.addOffsets(this.identity!, source, positions.offsets);
      await this.end(this.identity!, positions);
    } catch (error) {
      await this.abandon([error]);
      throw error;
    }
  }

  private async attempt(
    batch: MessageBatch,
    source: TransactionSource,
    signal: AbortSignal,
  ): Promise<readonly Outcome[] | undefined> {
    try {
      if (signal.aborted)
        throw kafkaErrors.TRANSACTION({ id: this.id, what: "be written", reason: "nobody waits any more" });
      return await this.write(batch, source, signal);
    } catch (error) {
      // What was written is not to be seen.
      await this.abandon([error]);
      return new Array<Outcome>(batch.length).fill(failed(error));
    }
  }

  private async write(
    batch: MessageBatch,
    source: TransactionSource,
    signal: AbortSignal,
  ): Promise<readonly Outcome[] | undefined> {
    if (!this.identity) await this.begin();
    const identity = this.identity!;
    const outcomes = new Outcomes(batch.length);
    const announce = (topic: string, partitions: readonly number[]): Promise<unknown> =>
      this.announce(identity, topic, partitions);
    await this.records.write(batch, outcomes, { id: this.id, identity, announce });
    const result = outcomes.result();
    if (result) {
      const errors = result.flatMap((outcome) => (outcome.type === "failed" ? [outcome.error] : []));
      await this.abandon(errors);
      return this.writeRest(batch, result, source, signal);
    }
    const positions = source.positionsOf(batch);
    if (positions.offsets.length > 0) await this.addOffsets(identity, source, positions.offsets);
    if (signal.aborted)
      throw kafkaErrors.TRANSACTION({ id: this.id, what: "be committed", reason: "nobody waits any more" });
    await this.end(identity, positions);
    return undefined;
  }

  private async end(identity: Identity, positions: TransactionOffsets): Promise<void> {
    // From here on only the broker knows how it ends.
    this.isOpen = false;
    await this.commit(identity);
    positions.taken();
    this.transactions += 1;
  }

  /**
   * All of it is written again, or none: messages that the broker refuses for good keep their own outcome, and the others go into
   * a transaction without them. They would meet the same one again and again.
   */
  private async writeRest(
    batch: MessageBatch,
    result: readonly Outcome[],
    source: TransactionSource,
    signal: AbortSignal,
  ): Promise<readonly Outcome[]> {
    const kinds = result.map((outcome) => outcome.type === "failed" && kindOf(outcome.error, "retryable"));
    const rest = kinds.flatMap((kind, position) => (kind === "permanent" ? [] : [position]));
    if (
      rest.length === result.length ||
      rest.length === 0 ||
      kinds.includes("connection") ||
      kinds.includes("config")
    ) {
      const reason = "another message of the batch was not taken";
      const undone = kafkaErrors.TRANSACTION({ id: this.id, what: "be committed", reason });
      return result.map((outcome) => (outcome.type === "failed" ? outcome : failed(undone)));
    }
    const written = await this.attempt(batchOf(rest.map((position) => batch.at(position))), source, signal);
    const merged = [...result];
    for (const [i, position] of rest.entries()) merged[position] = written?.[i] ?? ACCEPTED;
    return merged;
  }

  private async announce(identity: Identity, topic: string, partitions: readonly number[]): Promise<void> {
    const { id, epoch } = identity.producer;
    const call = {
      transactionalId: this.id,
      producerId: `${id}`,
      producerEpoch: epoch,
      topics: [{ topic, partitions }],
    };
    this.isOpen = true;
    await this.ask("AddPartitionsToTxn", call, "be begun");
  }

  private async addOffsets(
    identity: Identity,
    source: TransactionSource,
    offsets: readonly CommittedOffset[],
  ): Promise<void> {
    const { groupId, memberId, generation } = source;
    const { id, epoch } = identity.producer;
    const call = { transactionalId: this.id, producerId: `${id}`, producerEpoch: epoch, groupId };
    this.isOpen = true;
    await this.ask("AddOffsetsToTxn", call, "take the offsets");
    const { client } = this.records.producer;
    const member = { groupId, memberId, generation };
    for (let attempt = 0; ; attempt++) {
      const broker = await client.coordinator("group", groupId, this.closing.signal);
      if (!broker.knows(TXN_OFFSET_COMMIT, TXN_OFFSETS_VERSION))
        throw tooOld(broker, "TxnOffsetCommit", TXN_OFFSETS_VERSION);
      const body = [
        txnOffsetsRequest(
          this.id,
          identity.producer,
          member,
          groupBy(offsets, ({ topic }) => topic),
        ),
      ];
      const request = { apiKey: TXN_OFFSET_COMMIT, name: "TxnOffsetCommit", version: TXN_OFFSETS_VERSION, body };
      const code = parseTxnOffsets(await broker.raw({ ...request, flexible: true }));
      if (code === 0) return;
      if (!WAITS.has(code) || attempt >= TRIES) throw this.failure(code, "take the offsets");
      await this.pause();
    }
  }

  /**
   * Gives the transaction up. The next one begins with a new epoch, which ends this one in any case; but there may be no next
   * one for long, and until then nobody reads past it. After a lost connection only a new epoch does: something of it may still
   * be on its way to a broker.
   */
  private async abandon(errors: readonly unknown[]): Promise<void> {
    const { identity, isOpen } = this;
    this.identity = undefined;
    this.isOpen = false;
    if (!identity || !isOpen || errors.some((error) => kindOf(error, "retryable") === "connection")) return;
    const enough = new AbortController();
    await this.within(this.abort(identity, enough.signal), enough);
  }

  private async abort(identity: Identity, signal: AbortSignal): Promise<void> {
    const { id, epoch } = identity.producer;
    const call = { transactionalId: this.id, producerId: `${id}`, producerEpoch: epoch, transactionResult: false };
    const broker = await this.records.producer.client.coordinator("transaction", this.id, signal);
    await broker.request("EndTxn", call);
  }

  /** Waits for something, whatever becomes of it, but not for long. */
  private async within(work: Promise<unknown>, enough: AbortController): Promise<void> {
    const limit = sleep(this.records.producer.client.clock, ABORT_LIMIT_MS, enough.signal);
    await Promise.race([work.catch(() => {}), limit]);
    enough.abort();
  }

  /** Nobody knows how it has ended when this fails: only a new beginning tells. */
  private async commit(identity: Identity): Promise<void> {
    const { id, epoch } = identity.producer;
    const call = { transactionalId: this.id, producerId: `${id}`, producerEpoch: epoch, transactionResult: true };
    try {
      await this.ask("EndTxn", call, "be committed");
    } catch (cause) {
      const reason = (cause as Error).message;
      throw kafkaErrors.TRANSACTION_LOST({ id: this.id, what: "be committed", reason }, { cause });
    }
  }

  private async ask<T>(name: TransactionRequest, call: object, what: string): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const broker: BrokerConnection = await this.records.producer.client.coordinator(
        "transaction",
        this.id,
        this.closing.signal,
      );
      const answer = await broker.request<Answer>(name, call);
      const code = codeOf(answer);
      if (code === 0) return answer as T;
      if (!WAITS.has(code) || attempt >= TRIES) throw this.failure(code, what);
      await this.pause();
    }
  }

  private failure(code: number, what: string): MqbError {
    const refused = refusal(code, `the transactional id "${this.id}"`);
    if (refused) return refused;
    if (isFenced(code)) return kafkaErrors.FENCED({ id: this.id });
    if (isFinal(code)) return kafkaErrors.TRANSACTION_REFUSED({ id: this.id, what, reason: nameOf(code) });
    return kafkaErrors.TRANSACTION({ id: this.id, what, reason: nameOf(code) });
  }

  private async pause(): Promise<void> {
    if (!(await sleep(this.records.producer.client.clock, PAUSE_MS, this.closing.signal)))
      throw kafkaErrors.CLOSED({ what: "output" });
  }
}

type TransactionRequest = "InitProducerId" | "AddPartitionsToTxn" | "AddOffsetsToTxn" | "EndTxn";

interface Answer {
  readonly errorCode?: number;
  readonly errors?: readonly { readonly partitionErrors: readonly { readonly errorCode: number }[] }[];
}

function codeOf({ errorCode = 0, errors = [] }: Answer): number {
  const codes = errors.flatMap(({ partitionErrors }) => partitionErrors.map((one) => one.errorCode));
  return codes.find((code) => code !== 0) ?? errorCode;
}
