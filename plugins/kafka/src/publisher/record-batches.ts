import type { Clock, MessageBatch, MqbError } from "@mqb/core/plugin";
import { CODE, nameOf } from "../classify.ts";
import { kafkaErrors } from "../errors.ts";
import { partitionerOf } from "../wire/partitioner.ts";
import { type Chunk, encodeBatch, halves } from "./encode.ts";
import type { Outcomes } from "./outcomes.ts";
import type { Producer, Transaction, Written } from "./producer.ts";
import type { BatchWriter } from "./publisher.ts";

/** Writes messages to a topic as record batches of its own making, through the connections of kafkajs. */
export class RecordBatches implements BatchWriter {
  readonly producer: Producer;
  private readonly topic: string;
  private readonly keyField: string | undefined;
  private readonly partitioner;

  constructor(producer: Producer, topic: string, keyField: string | undefined) {
    this.producer = producer;
    this.topic = topic;
    this.keyField = keyField;
    this.partitioner = partitionerOf(producer.options.partitioner);
  }

  get clock(): Clock {
    return this.producer.client.clock;
  }

  get target(): string {
    return this.producer.client.target;
  }

  get queuedBytes(): number {
    return this.producer.options.queuedBytes;
  }

  get trouble(): string | undefined {
    return this.producer.trouble;
  }

  async write(batch: MessageBatch, outcomes: Outcomes, transaction?: Transaction): Promise<void> {
    let parts: (readonly number[] | undefined)[] = [undefined];
    try {
      while (parts.length > 0) {
        const refused: (readonly number[])[] = [];
        for (const part of parts) {
          const settled = (chunk: Chunk, written: Written): void => {
            if (written.type === "refused" && chunk.positions.length > 1) refused.push(chunk.positions);
            else outcomes.set(chunk.positions, this.errorOf(batch, chunk, written));
          };
          await this.producer.write(this.topic, await this.encode(batch, part), settled, transaction);
        }
        parts = refused.flatMap(halves);
      }
    } catch (error) {
      outcomes.fail(error as Error);
    }
  }

  private async encode(batch: MessageBatch, positions: readonly number[] | undefined): Promise<Chunk[]> {
    const { producer, partitioner, keyField } = this;
    const { leaders } = await producer.topic(this.topic);
    const { maxBatchRecords: maxRecords, maxBatchBytes: maxBytes } = producer.options;
    const options = { partitions: leaders.length, partitioner, keyField, maxRecords, maxBytes };
    const chunks = encodeBatch(batch, options, positions);
    for (const chunk of chunks) await producer.compress(chunk);
    return chunks;
  }

  private errorOf(batch: MessageBatch, chunk: Chunk, written: Written): MqbError | undefined {
    const { topic } = this;
    if (written.type === "stored") return undefined;
    if (written.type === "failed") return written.error;
    const tooLarge: readonly number[] = [CODE.MESSAGE_TOO_LARGE, CODE.RECORD_LIST_TOO_LARGE];
    if (tooLarge.includes(written.code)) {
      return kafkaErrors.TOO_LARGE({ topic, bytes: batch.payload(chunk.positions[0]!).length });
    }
    return kafkaErrors.REFUSED({ topic, partition: chunk.partition, reason: nameOf(written.code) });
  }
}
