import type { Clock, EndpointStatus, MessageBatch, Outcome, Publisher, Shared } from "@mqb/core/plugin";
import type { Dispatcher } from "undici";
import { errors } from "../errors.ts";
import type { DroppedHeaders } from "../wire/dropped-headers.ts";
import { BatchSend } from "./batch-send.ts";
import type { ClientExchange } from "./exchange.ts";
import type { SinkSettings } from "./settings.ts";

const LOOK_MS = 500;

/** Sends each message as a request, several at a time, and gives the answers back by position. */
export class HttpPublisher implements Publisher {
  readonly settings: SinkSettings;
  readonly clock: Clock;
  private readonly pool: Shared<Dispatcher>;
  private readonly dropped: DroppedHeaders;
  private readonly flights = new Set<ClientExchange>();
  private readonly sends = new Set<BatchSend>();
  private readonly lookMs: number;
  private cancelLook: (() => void) | undefined;
  private trouble: string | undefined;
  private closing: Promise<void> | undefined;

  constructor(settings: SinkSettings, pool: Shared<Dispatcher>, dropped: DroppedHeaders, clock: Clock) {
    this.settings = settings;
    this.pool = pool;
    this.dropped = dropped;
    this.clock = clock;
    this.lookMs = Math.max(5, Math.min(LOOK_MS, settings.timeoutMs / 10));
  }

  send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    if (this.closing) return Promise.reject(errors.CLOSED({ target: this.settings.target.shown }));
    if (batch.length === 0) return Promise.resolve(undefined);
    const send = new BatchSend(batch, signal, this);
    this.sends.add(send);
    return send.run();
  }

  close(): Promise<void> {
    return (this.closing ??= this.shut());
  }

  status(): EndpointStatus {
    const { trouble } = this;
    return {
      healthy: !this.closing && trouble === undefined,
      target: this.settings.target.shown,
      pending: this.flights.size,
      ...(trouble === undefined ? {} : { error: trouble }),
      ...(this.dropped.count > 0 ? { details: { dropped_headers: this.dropped.count } } : {}),
    };
  }

  /** Sends a request; `exchange` is told what becomes of it. Throws for what cannot be a request. */
  dispatch(exchange: ClientExchange, headers: string[], body: Uint8Array): void {
    this.flights.add(exchange);
    this.cancelLook ??= this.clock.timer(this.lookMs, this.looked);
    const { method, path } = exchange;
    const request = { method: method as Dispatcher.HttpMethod, path, headers, body: body.length > 0 ? body : null };
    this.pool.value.dispatch(request, exchange);
  }

  landed(exchange: ClientExchange): void {
    this.flights.delete(exchange);
  }

  finished(send: BatchSend, trouble: string | undefined): void {
    this.sends.delete(send);
    this.trouble = trouble;
    if (this.sends.size > 0) return;
    this.cancelLook?.();
    this.cancelLook = undefined;
  }

  private async shut(): Promise<void> {
    const { shown } = this.settings.target;
    for (const send of [...this.sends]) send.giveUp(errors.CLOSED({ target: shown }));
    this.cancelLook?.();
    this.cancelLook = undefined;
    await this.settings.stream?.close();
    await this.pool.release();
  }

  private readonly looked = (): void => {
    this.cancelLook = undefined;
    const { timeoutMs, target } = this.settings;
    const now = this.clock.monotonic();
    for (const one of [...this.flights]) {
      if (now - one.since > timeoutMs && !one.sink?.isBusy)
        one.abort(errors.TIMEOUT({ target: target.shown, ms: timeoutMs }));
    }
    if (this.flights.size > 0 || this.sends.size > 0) this.cancelLook ??= this.clock.timer(this.lookMs, this.looked);
  };
}
