import type { RouteStatus } from "@mqb/core";
import type { Durations, SideMetrics } from "@mqb/standard";
import { Counter, Gauge, type MetricObjectWithValues, type MetricValue, Registry, Summary } from "prom-client";

/** What is exported: counters of the routes, and those of `metrics` middlewares. */
export interface Measured {
  readonly version: string;
  readonly routes: readonly RouteStatus[];
  readonly sides: readonly SideMetrics[];
  /** Messages that the `retry` middlewares of a route have sent again. */
  readonly retries: (route: string) => number;
  /** On the clock that the sides have measured with, in milliseconds. */
  readonly now: number;
}

const QUANTILES = [0.5, 0.9, 0.95, 0.99, 0.999];

/** The fates of received messages, by the names that the accounting gives them. */
const FATES = [
  ["delivered", "delivered"],
  ["replied", "replied"],
  ["filtered", "filtered"],
  ["deduplicated", "deduplicated"],
  ["dead_lettered", "deadLettered"],
  ["dropped", "dropped"],
  ["nacked", "nacked"],
] as const;

/**
 * Everything measured at one moment, as a registry of prom-client. The first three series are those of mq-bridge; ours begin
 * with `mqb_`. The number of series follows the number of routes, never the data. Made anew for each scrape, so that its
 * sums agree with each other; families without samples are left out.
 */
export function exposition({ version, routes, sides, retries, now }: Measured): Registry {
  const inputs = sides.filter(({ endpoint }) => endpoint === "input");
  const registry = new Registry();
  const family = (name: string, type: keyof typeof TYPES, help: string, samples: readonly Sample[]): void => {
    if (samples.length > 0) TYPES[type](name, help, samples, registry);
  };
  family("mq_bridge_app_info", "gauge", "The version of the program", [{ labels: { version }, value: 1 }]);
  family(
    "queue_messages_processed_total",
    "counter",
    "Messages that a side of a route has handled without error, where it has the metrics middleware",
    perSide(sides, (side) => side.processed),
  );
  family(
    "queue_message_processing_duration_seconds",
    "summary",
    "Seconds per message; of an input, waiting for messages included",
    sides.flatMap((side) => durations(side, side.durations)),
  );
  family(
    "mqb_endpoint_bytes_total",
    "counter",
    "Payload bytes of the messages that a side has handled without error",
    perSide(sides, (one) => one.bytes),
  );
  family(
    "mqb_endpoint_failures_total",
    "counter",
    "Messages that a sink did not take; of an input, reads and commits that failed; by the kind of the error",
    sides.flatMap((one) => [...one.failures].map(([kind, value]) => ({ labels: { ...labelsOf(one), kind }, value }))),
  );
  family(
    "mqb_endpoint_in_flight_messages",
    "gauge",
    "Messages that a sink has not answered for; of an input, those that are not committed",
    perSide(sides, (one) => one.inFlight),
  );
  family(
    "mqb_commit_duration_seconds",
    "summary",
    "Seconds from the receipt of a batch to its commit",
    inputs.flatMap((side) => durations(side, side.commits)),
  );
  family(
    "mqb_oldest_uncommitted_seconds",
    "gauge",
    "How long the oldest batch has waited for its commit",
    perSide(inputs, (one) => one.oldest(now) / 1000),
  );
  family(
    "mqb_route_up",
    "gauge",
    "1 while the route is connected and healthy",
    perRoute(routes, (one) => Number(one.healthy)),
  );
  family(
    "mqb_route_received_total",
    "counter",
    "Messages that came from the source",
    perRoute(routes, (one) => one.accounting.received),
  );
  family(
    "mqb_route_messages_total",
    "counter",
    "What became of received messages",
    routes.flatMap((one) =>
      FATES.map(([fate, key]) => ({ labels: { route: one.name, fate }, value: one.accounting[key] })),
    ),
  );
  family(
    "mqb_route_drops_total",
    "counter",
    "Messages that failed for good and were dropped, by the code of the error",
    routes.flatMap((one) => one.drops.map(({ code, count }) => ({ labels: { route: one.name, code }, value: count }))),
  );
  family(
    "mqb_route_retries_total",
    "counter",
    "Messages that were sent again by a retry middleware",
    perRoute(routes, (one) => retries(one.name)),
  );
  family(
    "mqb_route_in_flight_messages",
    "gauge",
    "Messages received and not settled yet",
    perRoute(routes, (one) => one.accounting.inFlight),
  );
  family(
    "mqb_route_in_flight_bytes",
    "gauge",
    "Their payloads' bytes",
    perRoute(routes, (one) => one.inFlight.bytes),
  );
  family(
    "mqb_route_reconnects_total",
    "counter",
    "Connections made anew",
    perRoute(routes, (one) => one.reconnects),
  );
  family(
    "mqb_endpoint_pending_messages",
    "gauge",
    "Lag, backlog or depth of an end, where it is known",
    routes.flatMap(pending),
  );
  return registry;
}

type Labels = Readonly<Record<string, string>>;

interface Sample {
  /** Of a summary: its sum and its count have names of their own. */
  readonly suffix?: "_sum" | "_count";
  readonly labels: Labels;
  readonly value: number;
}

type Family = (name: string, help: string, samples: readonly Sample[], registry: Registry) => void;

const TYPES = {
  counter(name, help, samples, registry) {
    const counter = new Counter({ name, help, labelNames: namesOf(samples), registers: [registry] });
    for (const { labels, value } of samples) counter.inc(labels, value);
  },
  gauge(name, help, samples, registry) {
    const gauge = new Gauge({ name, help, labelNames: namesOf(samples), registers: [registry] });
    for (const { labels, value } of samples) gauge.set(labels, value);
  },
  summary(name, help, samples, registry) {
    registry.registerMetric(new MeasuredSummary(name, help, samples));
  },
} satisfies Record<string, Family>;

/** Quantiles that are known already: prom-client's own would ask for every single duration. */
class MeasuredSummary extends Summary {
  private readonly measured: MetricObjectWithValues<MetricValue<string>>;

  constructor(name: string, help: string, samples: readonly Sample[]) {
    super({ name, help, registers: [] });
    const values = samples.map(({ suffix = "", labels, value }) => ({ metricName: name + suffix, labels, value }));
    this.measured = { name, help, type: "summary", aggregator: "sum", values } as unknown as typeof this.measured;
  }

  override get(): Promise<MetricObjectWithValues<MetricValue<string>>> {
    return Promise.resolve(this.measured);
  }
}

function namesOf([first]: readonly Sample[]): string[] {
  return Object.keys(first!.labels);
}

function labelsOf({ route, endpoint }: SideMetrics): Labels {
  return { route, endpoint };
}

function durations(side: SideMetrics, measured: Durations): Sample[] {
  const labels = labelsOf(side);
  return [
    ...QUANTILES.map((share) => ({ labels: { ...labels, quantile: String(share) }, value: measured.quantile(share) })),
    { suffix: "_sum", labels, value: measured.sum },
    { suffix: "_count", labels, value: measured.count },
  ];
}

function perSide(sides: readonly SideMetrics[], value: (side: SideMetrics) => number): Sample[] {
  return sides.map((side) => ({ labels: labelsOf(side), value: value(side) }));
}

function perRoute(routes: readonly RouteStatus[], value: (route: RouteStatus) => number): Sample[] {
  return routes.map((route) => ({ labels: { route: route.name }, value: value(route) }));
}

function pending({ name, input, output }: RouteStatus): Sample[] {
  return [["input", input?.pending] as const, ["output", output?.pending] as const].flatMap(([side, value]) =>
    value === undefined ? [] : [{ labels: { route: name, side }, value }],
  );
}
