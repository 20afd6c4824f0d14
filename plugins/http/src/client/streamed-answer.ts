import {
  ACCEPTED,
  batchOf,
  type Clock,
  describeError,
  failed,
  Message,
  type MessageBatch,
  type Metadata,
  type Outcome,
  type Publisher,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import {
  createSplitter,
  formatOfStream,
  type Splitter,
  type StreamFormat,
  type StreamItem,
} from "../stream/splitter.ts";
import type { BodySink, ClientExchange } from "./exchange.ts";
import { responseMetadata } from "./response.ts";

export interface StreamSetup {
  readonly batch: MessageBatch;
  /** Where the items go. */
  readonly stream: Publisher;
  /** Bytes of one item. */
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly done: (outcome: Outcome) => void;
}

/**
 * Passes the items of an answer on while it arrives, and then one more that says how it ended. The answer is not read on
 * while its items are being taken. When it breaks before the first item, nothing is written and the request has failed.
 */
export class StreamedAnswer implements BodySink {
  private readonly exchange: ClientExchange;
  private readonly setup: StreamSetup;
  private readonly splitter: Splitter;
  private readonly shared: Metadata;
  private readonly id: string;
  private count = 0;
  private sending: Promise<void> = Promise.resolve();
  private broken: unknown;

  constructor(exchange: ClientExchange, setup: StreamSetup) {
    this.exchange = exchange;
    this.setup = setup;
    const { headers, status, index } = exchange;
    const type = headers["content-type"];
    const format: StreamFormat = formatOfStream(type);
    this.splitter = createSplitter(format, setup.limit);
    const asked = setup.batch.metadata(index);
    this.id = setup.batch.id(index).replaceAll("-", "");
    const metadata = responseMetadata(status, headers);
    metadata.set("correlation_id", asked.get("correlation_id") ?? this.id);
    metadata.set("http_stream_id", this.id);
    metadata.set("http_stream_format", format);
    this.shared = metadata;
    if (headers["content-encoding"] !== undefined && headers["content-encoding"] !== "identity") {
      this.breakOff(errors.BAD_RESPONSE({ target: exchange.path, reason: "a streamed answer cannot be compressed" }));
    }
  }

  data(chunk: Buffer): void {
    if (this.broken !== undefined) return;
    try {
      this.pass(this.splitter.push(chunk));
    } catch (error) {
      const reason = (error as Error).message;
      this.breakOff(errors.BAD_RESPONSE({ target: this.exchange.path, reason }, { cause: error }));
    }
  }

  end(): void {
    if (this.broken !== undefined) {
      this.fail(this.broken);
      return;
    }
    this.pass(this.splitter.end());
    this.finish({ http_stream_end: "true" }, ACCEPTED);
  }

  /** The answer broke off. */
  fail(error: unknown): void {
    if (this.count === 0 || this.broken !== undefined) {
      void this.sending.then(() => this.setup.done(failed(this.broken ?? error)));
      return;
    }
    this.finish({ http_stream_end: "true", http_stream_error: describeError(error) }, ACCEPTED);
  }

  private pass(items: readonly StreamItem[]): void {
    if (items.length === 0) return;
    const { controller } = this.exchange;
    controller?.pause();
    const messages = items.map((item) => this.message(item));
    this.sending = this.sending.then(async () => {
      if (this.broken !== undefined) return;
      await this.send(messages);
      this.exchange.since = this.setup.clock.monotonic();
      controller?.resume();
    });
  }

  private finish(metadata: Readonly<Record<string, string>>, outcome: Outcome): void {
    const last = new Message(
      "",
      new Map([...this.shared, ["http_stream_index", String(this.count)], ...Object.entries(metadata)]),
    );
    void this.sending
      .then(() => (this.broken === undefined ? this.send([last]) : undefined))
      .then(() => this.setup.done(this.broken === undefined ? outcome : failed(this.broken)));
  }

  private async send(messages: readonly Message[]): Promise<void> {
    try {
      const outcomes = await this.setup.stream.send(batchOf(messages), this.setup.signal);
      const refused = outcomes?.find((one) => one.type === "failed");
      if (refused) this.breakOff(refused.error);
    } catch (error) {
      this.breakOff(error);
    }
  }

  private breakOff(error: unknown): void {
    this.broken ??= error ?? new Error("an item was not taken");
    // In a turn of its own: the answer has just begun, or is being read.
    queueMicrotask(() => this.exchange.abort(this.broken as Error));
  }

  private message({ payload, event, id }: StreamItem): Message {
    const metadata = new Map(this.shared);
    metadata.set("http_stream_index", String(this.count++));
    if (event !== undefined) metadata.set("sse_event", event);
    if (id !== undefined) metadata.set("sse_id", id);
    // The driver's buffer belongs to the next chunk soon.
    return new Message(Buffer.from(payload), metadata);
  }
}
