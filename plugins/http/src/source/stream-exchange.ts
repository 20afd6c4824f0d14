import { type Disposition, freshId, Message, type Metadata } from "@mqb/core/plugin";
import { answerUnread, type Request, type Response } from "../listener/index.ts";
import {
  createSplitter,
  formatOfStream,
  type Splitter,
  type StreamFormat,
  type StreamItem,
} from "../stream/splitter.ts";
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
  private readonly items = new Set<StreamEntry>();
  private shared: Metadata | undefined;
  private count = 0;
  private paused = false;
  private ended = false;
  private over = false;

  constructor(request: Request, response: Response, parts: SourceParts, owner: Owner) {
    this.request = request;
    this.response = response;
    this.parts = parts;
    this.owner = owner;
    this.format = formatOfStream(request.headers["content-type"]);
    this.splitter = createSplitter(this.format, parts.settings.maxBodyBytes);
    this.answer = new StreamAnswer(request, response, this.format, parts.answers);
    response.on("close", () => this.leave());
    response.on("drain", this.readOn);
  }

  get isOver(): boolean {
    return this.over;
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
    if (!this.items.delete(entry) || this.over) return;
    this.since = this.parts.clock.monotonic();
    this.answer.settle(entry.index, entry.message, disposition);
    this.readOn();
    this.complete();
  }

  refuse(status: number, text: string): void {
    if (this.over) return;
    this.over = true;
    if (this.response.headersSent) this.response.destroy();
    else {
      const headers = this.parts.answers.ownHeaders(this.request, undefined);
      answerUnread(this.request, this.response, status, text, headers);
    }
    this.release();
  }

  expire(): void {
    if (this.items.size > 0) this.refuse(504, "No reply in time");
    else this.refuse(408, "The request body was not received in time");
  }

  private add(split: () => StreamItem[]): void {
    if (this.over) return;
    this.since = this.parts.clock.monotonic();
    let items: StreamItem[];
    try {
      items = split();
    } catch (error) {
      this.refuse(413, (error as Error).message);
      return;
    }
    for (const item of items) {
      const entry = new StreamEntry(this, this.count++, item);
      this.items.add(entry);
      this.owner.enqueue(entry);
    }
    if ((this.items.size >= this.parts.settings.bufferSize || this.response.writableNeedDrain) && !this.ended) {
      this.paused = true;
      this.request.pause();
    }
  }

  /** Neither the route nor a client that does not read its answer is given more than it takes. */
  private readonly readOn = (): void => {
    if (!this.paused || this.items.size > this.parts.settings.bufferSize / 2) return;
    if (this.response.writableNeedDrain) return;
    this.paused = false;
    this.request.resume();
  };

  private complete(): void {
    if (!this.ended || this.items.size > 0 || this.over) return;
    this.over = true;
    this.answer.end();
    this.owner.finished(this);
  }

  /** The client is gone: it will send again what it was not told about. */
  private leave(): void {
    if (this.over) return;
    this.over = true;
    this.release();
  }

  private release(): void {
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

  /** The answer to a streamed request follows its items, also with `fire_and_forget`. */
  accepted(): void {}

  settle(disposition: Disposition | undefined): void {
    this.exchange.settled(this, disposition);
  }

  refuse(status: number, text: string): void {
    this.exchange.refuse(status, text);
  }
}
