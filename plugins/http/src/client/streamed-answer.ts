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
  ItemTooLarge,
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
  /** The server, as errors name it. */
  readonly shown: string;
  readonly done: (outcome: Outcome) => void;
}

/**
 * Passes the items of an answer on while it arrives, and then one more that says how it ended. The answer is not read on
 * while its items are being taken. When it breaks before the first item, nothing is written and the request has failed. So
 * it has when we do not go on, with or without items: the server is not to blame, and is asked again.
 */
export class StreamedAnswer implements BodySink {
  private readonly exchange: ClientExchange;
  private readonly setup: StreamSetup;
  private readonly splitter: Splitter;
  private readonly shared: Metadata;
  private readonly id: string;
  private count = 0;
  private sending: Promise<void> = Promise.resolve();
  /** Batches of items that are not taken yet. */
  private pending = 0;
  /** Nothing of the answer is passed on any more, but what was. */
  private ended = false;
  private unusable = false;
  private over = false;

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
      this.cannotUse("a streamed answer cannot be compressed", undefined);
    }
  }

  get isBusy(): boolean {
    return this.pending > 0;
  }

  data(chunk: Buffer): void {
    if (this.ended || this.unusable) return;
    try {
      this.pass(this.splitter.push(chunk));
    } catch (error) {
      if (error instanceof ItemTooLarge) this.pass(error.before);
      this.cannotUse((error as Error).message, error);
    }
  }

  end(): void {
    if (this.ended || this.unusable) return;
    this.pass(this.splitter.end());
    this.finish({ http_stream_end: "true" });
  }

  /** The answer broke off, or is none. */
  fail(error: unknown): void {
    if (this.ended) return;
    if (this.count === 0) this.giveUp(error);
    else this.finish({ http_stream_end: "true", http_stream_error: describeError(error) });
  }

  /** We do not go on with it. */
  giveUp(error: unknown): void {
    this.ended = true;
    this.done(failed(error));
  }

  private cannotUse(reason: string, cause: unknown): void {
    this.unusable = true;
    const error = errors.BAD_RESPONSE({ target: this.setup.shown, reason }, { cause });
    // In a turn of its own: the answer has just begun, or is being read.
    queueMicrotask(() => {
      this.fail(error);
      this.exchange.abort(error);
    });
  }

  private pass(items: readonly StreamItem[]): void {
    if (items.length === 0) return;
    const { controller } = this.exchange;
    controller?.pause();
    const messages = items.map((item) => this.message(item));
    this.pending += 1;
    this.sending = this.sending.then(async () => {
      await this.send(messages);
      this.pending -= 1;
      this.exchange.since = this.setup.clock.monotonic();
      controller?.resume();
    });
  }

  private finish(metadata: Readonly<Record<string, string>>): void {
    this.ended = true;
    const last = new Message(
      "",
      new Map([...this.shared, ["http_stream_index", String(this.count)], ...Object.entries(metadata)]),
    );
    void this.sending.then(() => this.send([last])).then(() => this.done(ACCEPTED));
  }

  private async send(messages: readonly Message[]): Promise<void> {
    if (this.over) return;
    try {
      const outcomes = await this.setup.stream.send(batchOf(messages), this.setup.signal);
      const refused = outcomes?.find((one) => one.type === "failed");
      if (refused) this.notTaken(refused.error);
    } catch (error) {
      this.notTaken(error);
    }
  }

  private notTaken(error: unknown): void {
    const reason = error ?? new Error("an item was not taken");
    this.giveUp(reason);
    this.exchange.abort(reason as Error);
  }

  private done(outcome: Outcome): void {
    if (this.over) return;
    this.over = true;
    this.setup.done(outcome);
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
