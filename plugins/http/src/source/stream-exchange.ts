import { type Disposition, freshId, Message, type Metadata } from "@mqb/core/plugin";
import {
  answerUnread,
  closingOf,
  cutWhenIdle,
  isGone,
  needsDrain,
  type Request,
  type Response,
} from "../listener/index.ts";
import {
  createSplitter,
  formatOfStream,
  type Splitter,
  type StreamFormat,
  type StreamItem,
} from "../stream/splitter.ts";
import { FAILED } from "./answers.ts";
import type { Entry, Owner } from "./entry.ts";
import type { SourceParts } from "./parts.ts";
import { requestMetadata } from "./request-metadata.ts";
import { StreamAnswer } from "./stream-answer.ts";

/** One request whose body becomes messages while it arrives, and whose answer is made of their replies. */
export class StreamExchange {
  since = 0;
  readonly id: string = freshId();
  readonly format: StreamFormat;
  private readonly request: Request;
  private readonly response: Response;
  private readonly parts: SourceParts;
  private readonly owner: Owner;
  private readonly splitter: Splitter;
  private readonly answer: StreamAnswer;
  /** With the route, or on their way to it. */
  private readonly items = new Set<StreamEntry>();
  /** Cut off the body, and kept until the route has taken earlier ones. */
  private backlog: StreamItem[] = [];
  private taken = 0;
  private shared: Metadata | undefined;
  private count = 0;
  private paused = false;
  private ended = false;
  /** Has its whole answer, which may still be on its way. */
  private answered = false;
  private over = false;

  constructor(request: Request, response: Response, parts: SourceParts, owner: Owner) {
    this.request = request;
    this.response = response;
    this.parts = parts;
    this.owner = owner;
    this.format = formatOfStream(request.headers["content-type"]);
    this.splitter = createSplitter(this.format, parts.settings.maxBodyBytes);
    this.answer = new StreamAnswer(request, response, this.format, parts.answers);
    closingOf(response).on("close", () => this.closed());
    response.on("drain", this.readOn);
  }

  get isAbandoned(): boolean {
    return isGone(this.response);
  }

  read(expects: boolean): void {
    if (expects) this.response.writeContinue();
    this.request.on("data", (chunk: Buffer) => this.add(() => this.splitter.push(chunk)));
    this.request.on("end", () => {
      this.ended = true;
      this.add(() => this.splitter.end());
      this.complete();
    });
    this.request.on("error", () => {});
  }

  /** The metadata of all items. */
  get metadata(): Metadata {
    return (this.shared ??= this.describe());
  }

  /** An item has its disposition. */
  settled(entry: StreamEntry, disposition: Disposition | undefined): void {
    if (!this.items.delete(entry) || this.answered) return;
    this.since = this.parts.clock.monotonic();
    this.answer.settle(entry.index, entry.message, disposition);
    this.readOn();
    this.complete();
  }

  refuse(status: number, text: string): void {
    if (this.answered) return;
    this.answered = true;
    if (this.response.headersSent) this.response.destroy();
    else {
      const headers = this.parts.answers.ownHeaders(this.request, undefined);
      answerUnread(this.request, this.response, status, text, headers);
    }
    this.release();
  }

  expire(): void {
    if (this.answered) {
      this.since = Number.POSITIVE_INFINITY;
      cutWhenIdle(this.request, this.response, this.parts.settings.timeoutMs);
    } else if (this.items.size > 0) this.refuse(504, "No reply in time");
    else this.refuse(408, "The request body was not received in time");
  }

  /** The client is gone, and will send again what it was not told about; or it has its answer. */
  closed(): void {
    this.answered = true;
    this.release();
  }

  private add(split: () => StreamItem[]): void {
    if (this.answered) return;
    this.since = this.parts.clock.monotonic();
    try {
      for (const item of split()) this.backlog.push(item);
    } catch (error) {
      this.refuse(413, (error as Error).message);
      return;
    }
    this.feed();
    const { bufferSize } = this.parts.settings;
    const isFull = this.items.size >= bufferSize || this.backlog.length > 0 || needsDrain(this.response);
    if (isFull && !this.ended && !this.answered) {
      this.paused = true;
      this.request.pause();
    }
  }

  /** Hands items to the route, as many as it may have waiting. */
  private feed(): void {
    const { bufferSize } = this.parts.settings;
    while (this.taken < this.backlog.length && this.items.size < bufferSize && !needsDrain(this.response)) {
      const entry = new StreamEntry(this, this.count++, this.backlog[this.taken++]!);
      this.items.add(entry);
      this.owner.enqueue(entry);
    }
    if (this.taken < this.backlog.length) return;
    this.backlog = [];
    this.taken = 0;
  }

  /** Neither the route nor a client that does not read its answer is given more than it takes. */
  private readonly readOn = (): void => {
    if (this.answered) return;
    this.feed();
    if (!this.paused || this.backlog.length > 0 || this.items.size > this.parts.settings.bufferSize / 2) return;
    if (needsDrain(this.response)) return;
    this.paused = false;
    this.request.resume();
  };

  private complete(): void {
    if (!this.ended || this.items.size > 0 || this.backlog.length > 0 || this.answered) return;
    this.answered = true;
    this.since = this.parts.clock.monotonic();
    this.answer.end();
  }

  private release(): void {
    if (this.over) return;
    this.over = true;
    this.backlog = [];
    for (const entry of this.items) entry.isVoid = true;
    this.items.clear();
    this.owner.finished(this);
  }

  private describe(): Metadata {
    const metadata = requestMetadata(this.request, this.parts.tls.of(this.request));
    if (!metadata.has("correlation_id")) metadata.set("correlation_id", this.id);
    metadata.set("http_stream_id", this.id);
    metadata.set("http_stream_format", this.format);
    return metadata;
  }
}

/** One item of a streamed body. */
export class StreamEntry implements Entry {
  since = 0;
  readonly isPaced = true;
  isVoid = false;
  readonly index: number;
  readonly message: Message;
  private readonly exchange: StreamExchange;

  constructor(exchange: StreamExchange, index: number, { payload, event, id }: StreamItem) {
    this.exchange = exchange;
    this.index = index;
    const metadata = new Map(exchange.metadata);
    metadata.set("http_stream_index", String(index));
    if (event !== undefined) metadata.set("sse_event", event);
    if (id !== undefined) metadata.set("sse_id", id);
    this.message = new Message(payload, metadata);
  }

  /** The answer to a streamed request follows its items. */
  accepted(): void {}

  settle(disposition: Disposition | undefined): undefined {
    this.exchange.settled(this, disposition);
  }

  spoil(): void {
    this.exchange.refuse(500, FAILED);
  }

  refuse(status: number, text: string): void {
    this.exchange.refuse(status, text);
  }
}
