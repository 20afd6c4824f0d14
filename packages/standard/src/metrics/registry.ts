import type { Side } from "@mqb/core/plugin";
import { Durations } from "./durations.ts";

/** What one side of a route has counted. */
export interface SideMetrics {
  readonly route: string;
  /** The side; a label named `endpoint`, as mq-bridge has it. */
  readonly endpoint: Side;
  /** `queue_messages_processed_total`: messages handled without error. */
  processed: number;
  /** `queue_message_processing_duration_seconds`: one observation per batch, its seconds divided by its messages. */
  readonly durations: Durations;
}

/** The key of the bridge's `MetricsRegistry` in `OpenContext.local`. */
export const METRICS = "mqb metrics";

/** What the `metrics` middlewares of a bridge count; read by whoever exports it. */
export class MetricsRegistry {
  private readonly sides = new Map<string, SideMetrics>();

  /** The counters of one side, made when first asked for; kept across reconnects and restarts of the route. */
  of(route: string, endpoint: Side): SideMetrics {
    const key = `${endpoint} ${route}`;
    let side = this.sides.get(key);
    if (!side) {
      side = { route, endpoint, processed: 0, durations: new Durations() };
      this.sides.set(key, side);
    }
    return side;
  }

  /** All sides, in the order in which they first opened. */
  list(): readonly SideMetrics[] {
    return [...this.sides.values()];
  }
}

/** Counts one batch. `ms`: how long it took. */
export function count(side: SideMetrics, handled: number, size: number, ms: number): void {
  if (handled === 0) return;
  side.processed += handled;
  side.durations.observe(ms / 1000 / size);
}
