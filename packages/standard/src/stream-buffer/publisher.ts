import {
  ACCEPTED,
  type EndpointStatus,
  failed,
  type MessageBatch,
  type OpenContext,
  type Outcome,
  type Publisher,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { MemoryPublisher } from "../memory/publisher.ts";
import { CORRELATION_ID } from "../memory/replies.ts";
import { type Part, sendParts } from "../structural/send-parts.ts";
import type { StreamBufferSettings } from "./config.ts";
import type { Stream, Streams } from "./streams.ts";

type Context = Pick<OpenContext, "clock" | "log" | "route">;

/** Adds each message to the stream of its correlation id. */
export class StreamBufferPublisher implements Publisher {
  private readonly streams: Streams;
  private readonly settings: StreamBufferSettings;
  private readonly context: Context;
  private readonly senders = new Map<string, StreamSender>();
  private closed = false;

  constructor(streams: Streams, settings: StreamBufferSettings, context: Context) {
    this.streams = streams;
    this.settings = settings;
    this.context = context;
    streams.enter();
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    if (this.closed) throw errors.MEMORY_CLOSED({ topic: this.settings.topic });
    if (batch.length === 0) return undefined;
    const shared = batch.shared?.get(CORRELATION_ID);
    const positions = shared === undefined ? positionsById(batch) : new Map([[shared, undefined]]);
    if (positions.size === 1) {
      const [id] = positions.keys();
      if (id !== undefined) return this.sender(id).send(batch, signal);
    }
    const withId = [...positions].filter((one): one is [string, number[]] => one[0] !== undefined);
    const parts = withId.map(
      ([id, some]): Part => ({
        publisher: this.sender(id),
        path: this.settings.topic,
        batch: batch.select(Uint32Array.from(some)),
      }),
    );
    const results = await sendParts(parts, signal, this.context.clock);
    const outcomes = new Array<Outcome>(batch.length).fill(failed(errors.STREAM_NO_ID({ topic: this.settings.topic })));
    withId.forEach(([, some], part) => {
      some.forEach((at, i) => {
        outcomes[at] = results[part]?.[i] ?? ACCEPTED;
      });
    });
    return outcomes;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.streams.leave();
    await Promise.all([...this.senders.values()].map((sender) => sender.close()));
  }

  status(): EndpointStatus {
    const details = { mode: "stream_buffer", streams: this.streams.size };
    return { healthy: !this.closed, target: this.settings.topic, details };
  }

  private sender(id: string): StreamSender {
    const { capacity, idle_ttl_secs: ttl } = this.settings;
    let sender = this.senders.get(id);
    if (sender) return sender;
    sender = new StreamSender(this.streams, this.streams.get(id, capacity, ttl * 1000), this.context, () => {
      this.senders.delete(id);
    });
    this.senders.set(id, sender);
    return sender;
  }
}

/** Sends to one stream, for as long as it is there. */
class StreamSender implements Publisher {
  private readonly streams: Streams;
  private readonly stream: Stream;
  private readonly inner: MemoryPublisher;
  private readonly left: () => void;

  constructor(streams: Streams, stream: Stream, context: Context, left: () => void) {
    this.streams = streams;
    this.stream = stream;
    this.inner = new MemoryPublisher(stream.topic, context);
    this.left = left;
    stream.leaving.add(this.leave);
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    try {
      const outcomes = await this.inner.send(batch, signal);
      this.streams.touch(this.stream);
      return outcomes;
    } catch (error) {
      if (!this.stream.gone) throw error;
      throw errors.STREAM_DISCARDED({ stream: this.stream.topic.name }, { cause: error });
    }
  }

  async close(): Promise<void> {
    this.stream.leaving.delete(this.leave);
    await this.inner.close();
  }

  private readonly leave = (): void => {
    this.left();
    void this.inner.close();
  };
}

/** The positions of each correlation id, in their order; those without one under undefined. */
function positionsById(batch: MessageBatch): Map<string | undefined, number[]> {
  const positions = new Map<string | undefined, number[]>();
  for (let index = 0; index < batch.length; index++) {
    const id = batch.metadata(index).get(CORRELATION_ID);
    const some = positions.get(id);
    if (some) some.push(index);
    else positions.set(id, [index]);
  }
  return positions;
}
