import { isMqbError, type Logger, type Message, type Metadata } from "@mqb/core/plugin";
import type { KafkaClient } from "../client/client.ts";
import { groupBy } from "../group-by.ts";
import { producerOptions } from "../options/producer.ts";
import type { Chunk } from "../publisher/encode.ts";
import { Producer, type Written } from "../publisher/producer.ts";
import { CORRELATION_ID, REPLY_TO } from "../wire/names.ts";
import { partitionerOf } from "../wire/partitioner.ts";
import { RecordWriter } from "../wire/record-writer.ts";

export interface Reply {
  readonly request: Metadata;
  readonly message: Message;
}

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
      } else await this.sendTo(topic, those);
    }
  }

  private async sendTo(topic: string, replies: readonly Reply[]): Promise<void> {
    let failure: Error | undefined;
    const settled = (_: Chunk, written: Written): void => {
      if (written.type === "failed") failure = written.error;
      else if (written.type === "refused") this.drop(topic, replies.length, "the broker does not take it");
    };
    try {
      const { leaders } = await this.producer.topic(topic);
      const partition = this.choose(null, 0, 0, leaders.length);
      const writer = new RecordWriter();
      for (const { request, message } of replies) {
        const id = message.metadata.get(CORRELATION_ID) ?? request.get(CORRELATION_ID);
        writer.plain(null, message.payload, id === undefined ? [] : [[CORRELATION_ID, id]]);
      }
      const chunk: Chunk = { partition, body: writer.written(), codec: 0, positions: [...replies.keys()] };
      await this.producer.compress(chunk);
      await this.producer.write(topic, [chunk], settled);
    } catch (error) {
      failure = error as Error;
    }
    if (!failure) return;
    // The name comes from a message: nobody mends it by waiting, and the route must not stand still for it.
    if (isMqbError(failure) && failure.kind === "config") this.drop(topic, replies.length, failure.message);
    else throw failure;
  }

  private drop(topic: string, count: number, reason: string): void {
    this.log.warn(`${count} answer(s) to "${topic}" cannot be delivered: ${reason}`, { route: this.route });
  }
}
