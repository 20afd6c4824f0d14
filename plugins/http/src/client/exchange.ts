import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { Body } from "../wire/body.ts";

/** What becomes of a request. */
export interface ExchangeEvents {
  /** The answer begins. May keep the body for itself. */
  started(exchange: ClientExchange): BodySink | undefined;
  ended(exchange: ClientExchange): void;
  failed(exchange: ClientExchange, error: unknown): void;
}

/** Takes a body while it arrives. */
export interface BodySink {
  /** What has come is not taken yet, so that nothing more is expected of the server. */
  readonly isBusy: boolean;
  data(chunk: Buffer): void;
}

/** One request on its way; undici tells it what happens. */
export class ClientExchange implements Dispatcher.DispatchHandler {
  readonly index: number;
  readonly method: string;
  readonly path: string;
  /** Monotonic milliseconds of its start, or of what its answer has brought last. */
  since: number;
  /** It was sent for the second time. */
  again = false;
  status = 0;
  headers: IncomingHttpHeaders = {};
  controller: Dispatcher.DispatchController | undefined;
  sink: BodySink | undefined;
  private readonly events: ExchangeEvents;
  private readonly limit: number;
  private readonly received = new Body();
  private over = false;

  constructor(
    request: { readonly index: number; readonly method: string; readonly path: string; readonly since: number },
    limit: number,
    events: ExchangeEvents,
  ) {
    this.index = request.index;
    this.method = request.method;
    this.path = request.path;
    this.since = request.since;
    this.limit = limit;
    this.events = events;
  }

  get body(): Buffer {
    return this.received.whole();
  }

  /** Ends it with this error. */
  abort(error: Error): void {
    if (this.over) return;
    const { controller } = this;
    this.over = true;
    this.events.failed(this, error);
    controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.over) controller.abort(new Error("given up"));
    this.controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // What comes before the answer, such as 103.
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.sink = this.events.started(this);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.over) return;
    if (this.sink) {
      this.sink.data(chunk);
      return;
    }
    if (this.received.size + chunk.length > this.limit) {
      this.abort(new AnswerTooLarge(`it is larger than ${this.limit} bytes`));
      return;
    }
    this.received.add(chunk);
  }

  onResponseEnd(): void {
    if (this.over) return;
    this.over = true;
    this.events.ended(this);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.over) return;
    this.over = true;
    this.events.failed(this, error);
  }
}

export class AnswerTooLarge extends Error {}
