import { kindOf, type Logger, type Message, type Metadata } from "@mqb/core/plugin";
import { nameOf } from "../classify.ts";
import type { KafkaClient } from "../client/client.ts";
import { groupBy } from "../group-by.ts";
import { producerOptions } from "../options/producer.ts";
import { type Chunk, halves, OVERHEAD } from "../publisher/encode.ts";
import { Producer } from "../publisher/producer.ts";
import { TOPIC } from "../schema.ts";
import { CORRELATION_ID, REPLY_TO } from "../wire/names.ts";
import { partitionerOf } from "../wire/partitioner.ts";
import { RecordWriter } from "../wire/record-writer.ts";

export interface Reply {
  readonly request: Metadata;
  readonly message: Message;
}

const MOST_SHOWN = 100;

/** Sends answers to the topics that requests name in `reply_to`. */
export class Replier {
  private readonly producer: Producer;
  private readonly log: Logger;
  private readonly route: string;
  private readonly choose = partitionerOf("random");

  constructor(client: KafkaClient, log: Logger, route: string) {
    this.producer = new Producer(client, producerOptions(null).options);
    this.log = log;
    this.route = route;
  }

  /** Resolves when the brokers have all answers that have somewhere to go. */
  async send(replies: readonly Reply[]): Promise<void> {
    const byTopic = groupBy(replies, ({ request }) => request.get(REPLY_TO));
    for (const [topic, those] of byTopic) {
      if (topic === undefined || topic === "") {
        this.log.debug(`${those.length} answer(s) have no ${REPLY_TO} to go to`, { route: this.route });
      } else if (TOPIC.test(topic)) await this.sendTo(topic, those);
      else this.drop(shortened(topic), those.length, "no topic can have this name");
    }
  }

  private async sendTo(topic: string, replies: readonly Reply[]): Promise<void> {
    let failure: Error | undefined;
    try {
      const { leaders } = await this.producer.topic(topic);
      const partition = this.choose(null, 0, 0, leaders.length);
      let parts: (readonly number[])[] = [[...replies.keys()]];
      while (parts.length > 0 && !failure) {
        const refused: (readonly number[])[] = [];
        const chunks = parts.flatMap((part) => this.encode(replies, part, partition));
        for (const chunk of chunks) await this.producer.compress(chunk);
        await this.producer.write(topic, chunks, ({ positions }, written) => {
          if (written.type === "failed") failure ??= written.error;
          else if (written.type === "refused" && positions.length > 1) refused.push(positions);
          else if (written.type === "refused") this.drop(topic, 1, nameOf(written.code));
        });
        parts = refused.flatMap(halves);
      }
    } catch (error) {
      failure = error as Error;
    }
    if (!failure) return;
    // The name comes from a message: nobody mends it by waiting, and the route must not stand still for it.
    const kind = kindOf(failure, "permanent");
    if (kind === "config" || kind === "permanent") this.drop(topic, replies.length, failure.message);
    else throw failure;
  }

  private encode(replies: readonly Reply[], part: readonly number[], partition: number): Chunk[] {
    const { maxBatchRecords, maxBatchBytes } = this.producer.options;
    const chunks: Chunk[] = [];
    const writer = new RecordWriter();
    let positions: number[] = [];
    const cut = (): void => {
      if (positions.length > 0) chunks.push({ partition, body: writer.written(), codec: 0, positions });
      positions = [];
      writer.restart();
    };
    for (const position of part) {
      const { request, message } = replies[position]!;
      const size = message.payload.length + OVERHEAD;
      if (writer.count >= maxBatchRecords || writer.length + size > maxBatchBytes) cut();
      const id = message.metadata.get(CORRELATION_ID) ?? request.get(CORRELATION_ID);
      writer.plain(null, message.payload, id === undefined ? [] : [[CORRELATION_ID, id]]);
      positions.push(position);
    }
    cut();
    return chunks;
  }

  private drop(topic: string, count: number, reason: string): void {
    this.log.warn(`${count} answer(s) to "${topic}" cannot be delivered: ${reason}`, { route: this.route });
  }
}

function shortened(name: string): string {
  return name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name;
}
