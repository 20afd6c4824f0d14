import type { RouteStatus } from "@mqb/core";
import type { EndpointStatus } from "@mqb/core/plugin";
import { type EntityRecord, type RouteRecord, type Summary, safeEndpoint, safeLabel } from "./record.ts";

/** A route's status with the kinds of its ends. */
export interface ReportedRoute {
  readonly status: RouteStatus;
  readonly input: string;
  readonly output: string;
}

interface Sample {
  readonly at: number;
  readonly total: number;
  readonly rate: number;
}

/** Makes records of routes, one after another, and keeps what their rates are computed from. */
export class Snapshots {
  private readonly samples = new Map<string, Sample>();
  private readonly showErrors: boolean;

  constructor(showErrors: boolean) {
    this.showErrors = showErrors;
  }

  take(routes: readonly ReportedRoute[], now: number): RouteRecord[] {
    return routes.map(({ status, input, output }) => {
      const summary = this.summary(status, now);
      const label = safeLabel(status.name);
      const end = (type: string, of: EndpointStatus | undefined): EntityRecord => ({
        id: label,
        label,
        endpoint: safeEndpoint(type),
        summary: {
          ...summary,
          healthy: of?.healthy ?? summary.healthy,
          pending: of?.pending ?? null,
          capacity: of?.capacity ?? null,
        },
      });
      return { id: label, label, input: end(input, status.input), output: end(output, status.output), summary };
    });
  }

  private summary(status: RouteStatus, now: number): Summary {
    const { state, startedAt } = status;
    const total = status.accounting.received;
    const ended = state === "completed" || state === "stopped" || state === "failed";
    const before = this.samples.get(status.name);
    const seconds = before ? (now - before.at) / 1000 : 0;
    const rate = ended ? 0 : before && seconds > 0 ? Math.max(0, total - before.total) / seconds : (before?.rate ?? 0);
    this.samples.set(status.name, { at: now, total, rate });
    const lived = startedAt === undefined ? 0 : (now - startedAt) / 1000;
    return {
      running: state === "running" || state === "stopping",
      healthy: status.healthy,
      pending: status.input?.pending ?? null,
      capacity: status.input?.capacity ?? null,
      error: status.error === undefined ? null : this.showErrors ? status.error : "error",
      throughput: rate,
      average_throughput: lived > 0 ? total / lived : 0,
      message_sequence: total,
      started_at_ms: startedAt ?? null,
      outcome: ended ? state : null,
    };
  }
}
