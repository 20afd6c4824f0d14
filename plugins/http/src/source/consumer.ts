import type { Clock, Consumer, Delivery, EndpointStatus } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import type { Request, Response } from "../listener/index.ts";
import { Admission } from "./admission.ts";
import { HttpDelivery, NOTHING } from "./delivery.ts";
import type { Entry, Owner } from "./entry.ts";
import type { SourceParts } from "./parts.ts";

/** Where the requests of a source come from. */
export interface Place {
  readonly target: string;
  readonly address: string;
  /** Takes no request any more. */
  leave(): Promise<void>;
}

/** Hands out the requests of a listener as messages, as many as have come, and answers them when they are settled. */
export class HttpConsumer implements Consumer, Owner {
  private readonly parts: SourceParts;
  private readonly clock: Clock;
  private readonly admission: Admission;
  private place: Place | undefined;
  private target = "";
  /** Complete requests; those beyond the size of the buffer wait for room. */
  private queue: Entry[] = [];
  private accepted = 0;
  private readonly delivered = new Set<HttpDelivery>();
  private waiting: ((delivery: Delivery) => void) | undefined;
  private reject: ((error: unknown) => void) | undefined;
  private max = 0;
  private signal: AbortSignal | undefined;
  private gathering: NodeJS.Immediate | undefined;
  private failure: unknown;
  private closing: Promise<void> | undefined;

  constructor(parts: SourceParts) {
    this.parts = parts;
    this.clock = parts.clock;
    this.admission = new Admission(parts, this);
  }

  /** Called once, before the first request. */
  attach(place: Place): void {
    this.place = place;
    this.target = place.target;
  }

  readonly take = (request: Request, response: Response, expects: boolean): void => {
    this.admission.take(request, response, expects);
  };

  /** The listener cannot go on. */
  readonly failed = (error: unknown): void => {
    this.failure = errors.LISTENER_FAILED({ address: this.target, reason: String(error) }, { cause: error });
    this.stopWaiting(this.failure);
  };

  receive(max: number, signal: AbortSignal): Promise<Delivery> {
    if (this.closing) return Promise.reject(errors.CLOSED({ target: this.target }));
    if (this.failure !== undefined) return Promise.reject(this.failure);
    this.max = max;
    const delivery = this.gather();
    if (delivery) return Promise.resolve(delivery);
    if (signal.aborted) return Promise.resolve(NOTHING);
    this.watch(signal);
    return new Promise((resolve, reject) => {
      this.waiting = resolve;
      this.reject = reject;
    });
  }

  enqueue(entry: Entry): void {
    if (this.closing) {
      entry.refuse(503, "The route is stopping");
      return;
    }
    entry.since = this.clock.monotonic();
    this.queue.push(entry);
    this.makeRoom();
    // Requests that came in the same turn go together.
    if (this.waiting && !this.gathering) this.gathering = setImmediate(this.wake);
  }

  finished(request: object): void {
    this.admission.finished(request);
  }

  /** Called every now and then while requests are waiting. */
  expire(now: number): void {
    const { timeoutMs, patienceMs, bufferSize } = this.parts.settings;
    const { length } = this.queue;
    for (let i = 0; i < length; i++) {
      const entry = this.queue[i]!;
      if (entry.isPaced) continue;
      if (i >= bufferSize && now - entry.since > patienceMs)
        entry.refuse(503, "The route has too many requests waiting");
      else if (now - entry.since > timeoutMs) entry.refuse(504, "No reply in time");
    }
    this.drop();
  }

  close(): Promise<void> {
    return (this.closing ??= this.shut());
  }

  status(): EndpointStatus {
    const healthy = !this.closing && this.failure === undefined;
    return {
      healthy,
      target: this.target,
      pending: this.queue.length,
      capacity: this.parts.settings.bufferSize,
      ...(this.failure !== undefined && !this.closing ? { error: String(this.failure) } : {}),
      details: { bound_addr: this.place?.address ?? "", requests: this.admission.active },
    };
  }

  private async shut(): Promise<void> {
    this.watch(undefined);
    this.stopWaiting(undefined);
    const text = "The route is stopping";
    if (this.parts.settings.fireAndForget && this.accepted > 0) this.parts.lost(this.accepted);
    for (const entry of this.queue) entry.refuse(503, text);
    for (const { entries } of this.delivered) for (const entry of entries) entry.refuse(503, text);
    this.queue = [];
    this.delivered.clear();
    this.admission.close(text);
    await this.place?.leave();
  }

  private gather(): HttpDelivery | undefined {
    if (this.queue.length === 0) return undefined;
    this.drop();
    const entries = this.queue.splice(0, this.max);
    if (entries.length === 0) return undefined;
    this.accepted = Math.max(0, this.accepted - entries.length);
    this.makeRoom();
    const delivery = new HttpDelivery(entries, this.settled);
    this.delivered.add(delivery);
    return delivery;
  }

  /** Requests whose clients have left, or were told to come again. */
  private drop(): void {
    if (!this.queue.some((entry) => entry.isVoid)) return;
    this.queue = this.queue.filter((entry) => !entry.isVoid);
    this.accepted = Math.min(this.accepted, this.queue.length);
    this.makeRoom();
  }

  private makeRoom(): void {
    const { bufferSize } = this.parts.settings;
    while (this.accepted < bufferSize && this.accepted < this.queue.length) this.queue[this.accepted++]!.accepted();
  }

  private readonly settled = (delivery: HttpDelivery): boolean => this.delivered.delete(delivery);

  private readonly wake = (): void => {
    this.gathering = undefined;
    const resolve = this.waiting;
    const delivery = resolve && this.gather();
    if (!delivery) return;
    this.waiting = undefined;
    resolve(delivery);
  };

  private stopWaiting(error: unknown): void {
    const { waiting, reject } = this;
    this.waiting = undefined;
    this.reject = undefined;
    if (this.gathering) clearImmediate(this.gathering);
    this.gathering = undefined;
    if (error === undefined) waiting?.(NOTHING);
    else reject?.(error);
  }

  /** A route passes the same signal again and again, so it is listened to once, not once per call. */
  private watch(signal: AbortSignal | undefined): void {
    if (signal === this.signal) return;
    this.signal?.removeEventListener("abort", this.aborted);
    signal?.addEventListener("abort", this.aborted, { once: true });
    this.signal = signal;
  }

  private readonly aborted = (): void => {
    this.stopWaiting(undefined);
  };
}
