import type { ErrorKind, Side } from "@mqb/core/plugin";
import { Durations } from "./durations.ts";

/** The key of the bridge's `MetricsRegistry` in `OpenContext.local`. */
export const METRICS = "mqb metrics";

const KINDS: readonly ErrorKind[] = ["retryable", "permanent", "connection", "config", "end"];

/** What one side of a route has counted. */
export class SideMetrics {
  readonly route: string;
  /** The side; a label named `endpoint`, as mq-bridge has it. */
  readonly endpoint: Side;
  /** `queue_messages_processed_total`: messages handled without error. */
  processed = 0;
  /** The bytes of their payloads. */
  bytes = 0;
  /** `queue_message_processing_duration_seconds`: one observation per batch, its seconds divided by its messages. */
  readonly durations = new Durations();
  /** By the kind of the error. Of an output: messages that it did not take; of an input: reads and commits that failed. */
  readonly failures = new Map<ErrorKind, number>(KINDS.map((kind) => [kind, 0]));
  /** Of an output: messages that it was given and has not answered for. Of an input: those received and not committed. */
  inFlight = 0;
  /** Of an input: seconds from receipt to commit, one observation per batch. */
  readonly commits = new Durations();
  /** Of an input: when what is not committed was received, on the monotonic clock; the oldest first. */
  private readonly open = new Set<{ readonly at: number }>();

  constructor(route: string, endpoint: Side) {
    this.route = route;
    this.endpoint = endpoint;
  }

  /** One batch was handled. `ms`: how long it took. `size`: its messages, `handled`: those without an error. */
  count(handled: number, size: number, bytes: number, ms: number): void {
    if (handled === 0) return;
    this.processed += handled;
    this.bytes += bytes;
    this.durations.observe(ms / 1000 / size);
  }

  failed(kind: ErrorKind, count: number): void {
    this.failures.set(kind, this.failures.get(kind)! + count);
  }

  /** A batch waits for its commit from now on; the function says that it waits no longer. */
  begin(size: number, now: number): () => void {
    const since = { at: now };
    this.open.add(since);
    this.inFlight += size;
    return () => {
      if (this.open.delete(since)) this.inFlight -= size;
    };
  }

  /** Whatever waits for its commit is the source's again. */
  giveUp(): void {
    this.open.clear();
    this.inFlight = 0;
  }

  /** Milliseconds for which the oldest batch has waited for its commit, 0 when none does. */
  oldest(now: number): number {
    for (const { at } of this.open) return now - at;
    return 0;
  }
}

/** What the middlewares of a bridge count; read by whoever exports it. Its size follows the routes, never the data. */
export class MetricsRegistry {
  private readonly sides = new Map<string, SideMetrics>();
  private readonly retried = new Map<string, number>();

  /** The counters of one side, made when first asked for; kept across reconnects and restarts of the route. */
  of(route: string, endpoint: Side): SideMetrics {
    const key = `${endpoint} ${route}`;
    let side = this.sides.get(key);
    if (!side) {
      side = new SideMetrics(route, endpoint);
      this.sides.set(key, side);
    }
    return side;
  }

  /** All sides, in the order in which they first opened. */
  list(): readonly SideMetrics[] {
    return [...this.sides.values()];
  }

  /** Messages of a route are sent again by its `retry` middlewares. */
  retry(route: string, count: number): void {
    this.retried.set(route, this.retries(route) + count);
  }

  /** How many messages were sent again; one that was sent three times counts twice. */
  retries(route: string): number {
    return this.retried.get(route) ?? 0;
  }
}
