import type { Clock, EndpointStatus, MessageBatch, Outcome, Publisher } from "@mqb/core/plugin";
import { joinBatches } from "../batch/join.ts";
import { errors } from "../errors.ts";
import { Call } from "./call.ts";
import type { BufferSettings } from "./definition.ts";

type Outcomes = readonly Outcome[] | undefined;

/**
 * Makes one batch of the sends that wait at the same time. One batch is under way at a time; each caller gets the outcomes of
 * its own messages. Bounded by its callers, since each waits for its answer.
 */
export class BufferedPublisher implements Publisher {
  private readonly inner: Publisher;
  private readonly settings: BufferSettings;
  private readonly clock: Clock;
  /** In the order in which they came. */
  private waiting: Call[] = [];
  private messages = 0;
  /** The batch that is under way. Never rejects. */
  private underWay: Promise<void> | undefined;
  /** What waits does not wait for company any more. */
  private hurried = false;
  private disarm: (() => void) | undefined;
  private closed = false;

  constructor(inner: Publisher, settings: BufferSettings, clock: Clock) {
    this.inner = inner;
    this.settings = settings;
    this.clock = clock;
  }

  send(batch: MessageBatch, signal: AbortSignal): Promise<Outcomes> {
    if (batch.length === 0) return Promise.resolve(undefined);
    if (this.closed) return Promise.reject(errors.BUFFER_CLOSED({}));
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      const since = this.clock.monotonic();
      const call = new Call({ batch, signal, since, resolve, reject, onAbort: () => this.forget(call) });
      this.waiting.push(call);
      this.messages += batch.length;
      this.consider();
    });
  }

  /** Nothing that waits now waits any longer. */
  async flush(): Promise<void> {
    const last = this.waiting.at(-1);
    while (last && this.waiting.includes(last)) {
      this.hurried = true;
      this.consider();
      await this.underWay;
    }
    await this.underWay;
    await this.inner.flush?.();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.noTimer();
    for (const call of this.waiting.splice(0)) call.fail(errors.BUFFER_CLOSED({}));
    this.messages = 0;
    await this.inner.close();
  }

  status(): EndpointStatus {
    const inner = this.inner.status?.() ?? { healthy: true, target: "" };
    return { ...inner, details: { ...inner.details, buffered: this.messages } };
  }

  private consider(): void {
    const [oldest] = this.waiting;
    if (this.underWay || !oldest) return;
    const { max_messages: most, max_delay_ms: ms } = this.settings;
    const left = oldest.since + ms - this.clock.monotonic();
    if (!this.hurried && left > 0 && this.messages < most) {
      this.disarm ??= this.clock.timer(left, () => {
        this.disarm = undefined;
        this.consider();
      });
      return;
    }
    this.underWay = this.sendOne(this.take(most)).finally(() => {
      this.underWay = undefined;
      this.consider();
    });
  }

  /** Whole calls, up to so many messages but at least one of them. */
  private take(most: number): Call[] {
    let count = 0;
    let calls = 0;
    for (const { batch } of this.waiting) {
      if (calls > 0 && count + batch.length > most) break;
      count += batch.length;
      calls += 1;
    }
    const taken = this.waiting.splice(0, calls);
    this.messages -= count;
    this.hurried = false;
    this.noTimer();
    return taken;
  }

  private async sendOne(calls: readonly Call[]): Promise<void> {
    const stop = new AbortController();
    for (const call of calls) {
      call.onAbort = () => {
        // While others of the batch are waited for, only this one is given up.
        if (calls.every(({ signal }) => signal.aborted)) stop.abort(call.signal.reason);
        else call.fail(call.signal.reason);
      };
    }
    try {
      const outcomes = await this.inner.send(joinBatches(calls.map(({ batch }) => batch)), stop.signal);
      let from = 0;
      for (const call of calls) {
        const to = from + call.batch.length;
        call.finish(outcomes?.slice(from, to));
        from = to;
      }
    } catch (error) {
      for (const call of calls) call.fail(error);
    }
  }

  private forget(call: Call): void {
    const at = this.waiting.indexOf(call);
    if (at < 0) return;
    this.waiting.splice(at, 1);
    this.messages -= call.batch.length;
    if (this.waiting.length === 0) this.noTimer();
    call.fail(call.signal.reason);
  }

  private noTimer(): void {
    this.disarm?.();
    this.disarm = undefined;
  }
}
