import type { Clock } from "@mqb/core/plugin";
import type { RawMsg } from "../client/driver.ts";

/** Received messages that nobody has asked for yet, and the one who waits for them. */
export class ReceivedQueue {
  /** Headers included. */
  bytes = 0;
  private messages: RawMsg[] = [];
  private first = 0;
  private wakeUp: (() => void) | undefined;
  private soon: NodeJS.Immediate | undefined;

  get length(): number {
    return this.messages.length - this.first;
  }

  push(message: RawMsg): void {
    this.messages.push(message);
    this.bytes += message._rdata.length;
    // What comes with it in the same turn belongs to the same batch.
    if (this.wakeUp) this.soon ??= setImmediate(() => this.wake());
  }

  take(max: number): readonly RawMsg[] {
    const whole = this.first === 0 && this.messages.length <= max;
    const taken = whole ? this.messages : this.messages.slice(this.first, this.first + max);
    if (whole || this.length <= max) {
      this.messages = [];
      this.first = 0;
      this.bytes = 0;
      return taken;
    }
    this.first += max;
    for (const message of taken) this.bytes -= message._rdata.length;
    // What was taken is not kept for longer than what lies behind it.
    if (this.first >= this.length) {
      this.messages = this.messages.slice(this.first);
      this.first = 0;
    }
    return taken;
  }

  waiting(): readonly RawMsg[] {
    return this.messages.slice(this.first);
  }

  /** Whoever waits looks again. */
  wake(): void {
    if (this.soon) clearImmediate(this.soon);
    this.soon = undefined;
    this.wakeUp?.();
  }

  /** Resolves when a message is there, when somebody wakes, when the signal aborts, or after `ms`. */
  arrival(signal: AbortSignal, clock: Clock, ms?: number): Promise<void> {
    if (signal.aborted || this.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.wakeUp = undefined;
        cancel?.();
        signal.removeEventListener("abort", done);
        resolve();
      };
      const cancel = ms === undefined ? undefined : clock.timer(ms, done);
      this.wakeUp = done;
      signal.addEventListener("abort", done, { once: true });
    });
  }
}
