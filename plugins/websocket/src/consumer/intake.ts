import type { Message } from "@mqb/core/plugin";
import type { Client } from "./client.ts";

/** Payload bytes that wait for the route at most, beside the number of messages. */
const READ_AHEAD_BYTES = 4 * 1024 * 1024;

/** Messages with the clients that sent them, by position. */
export interface Taken {
  readonly messages: Message[];
  readonly clients: Client[];
  /** How often they came back from the route. */
  readonly returns: number;
}

/**
 * What clients have sent and the route has not taken yet. It is kept over a reconnect of the route, so that nothing that
 * was received is lost by it.
 */
export class Intake {
  private readonly capacity: number;
  private readonly parts: Taken[] = [];
  private readonly held = new Set<Client>();
  private bytes = 0;
  private count = 0;
  private wake: (() => void) | undefined;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** Messages that wait. */
  get length(): number {
    return this.count;
  }

  /** Nothing more should be read for now. */
  get full(): boolean {
    return this.count >= this.capacity || this.bytes >= READ_AHEAD_BYTES;
  }

  /** Nothing more is taken at all, also of what clients send before they close. */
  get overfull(): boolean {
    return this.count >= 2 * this.capacity || this.bytes >= 2 * READ_AHEAD_BYTES;
  }

  push(message: Message, client: Client): void {
    let last = this.parts.at(-1);
    if (!last || last.returns > 0) this.parts.push((last = { messages: [], clients: [], returns: 0 }));
    last.messages.push(message);
    last.clients.push(client);
    this.count += 1;
    this.bytes += message.payload.length;
    if (this.full) client.hold();
    this.wake?.();
  }

  /** The client is not read from; it is told when there is room again. */
  hold(client: Client): void {
    this.held.add(client);
  }

  /** What the route has not settled: before or behind the rest. */
  restore(taken: Taken, at: "front" | "back"): void {
    if (taken.messages.length === 0) return;
    if (at === "front") this.parts.unshift(taken);
    else this.parts.push(taken);
    this.weigh(taken, 1);
    this.wake?.();
  }

  /** The oldest, at most `max`. */
  take(max: number): Taken | undefined {
    const first = this.parts[0];
    if (!first) return undefined;
    const whole = first.messages.length <= max;
    if (whole) this.parts.shift();
    const taken = whole
      ? first
      : { messages: first.messages.splice(0, max), clients: first.clients.splice(0, max), returns: first.returns };
    this.weigh(taken, -1);
    if (!this.full) this.letGo();
    return taken;
  }

  /** Resolves when something is there, or `stop` is called or the signal aborts. One caller at a time. */
  wait(signal: AbortSignal): Promise<void> {
    if (this.count > 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const over = (): void => {
        signal.removeEventListener("abort", over);
        this.wake = undefined;
        // All frames of one read of the socket come in one turn: they go on together.
        resolve();
      };
      this.wake = over;
      signal.addEventListener("abort", over, { once: true });
    });
  }

  stop(): void {
    this.wake?.();
  }

  forget(client: Client): void {
    this.held.delete(client);
  }

  private letGo(): void {
    for (const client of this.held) client.release();
    this.held.clear();
  }

  private weigh({ messages }: Taken, sign: 1 | -1): void {
    this.count += sign * messages.length;
    for (const { payload } of messages) this.bytes += sign * payload.length;
  }
}
