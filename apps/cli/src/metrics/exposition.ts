import type { RouteStatus } from "@mqb/core";
import type { Durations, SideMetrics } from "@mqb/standard";

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

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

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
 * Everything measured in the text format of Prometheus. The first three series are those of mq-bridge; ours begin with
 * `mqb_`. The number of series follows the number of routes, never the data.
 */
export function exposition({ version, routes, sides, retries, now }: Measured): string {
  const inputs = sides.filter(({ endpoint }) => endpoint === "input");
  const families = [
    family("mq_bridge_app_info", "gauge", "The version of the program", [sample("", { version }, 1)]),
    family(
      "queue_messages_processed_total",
      "counter",
      "Messages that a side of a route has handled without error, where it has the metrics middleware",
      sides.map((side) => sample("", labelsOf(side), side.processed)),
    ),
    family(
      "queue_message_processing_duration_seconds",
      "summary",
      "Seconds per message; of an input, waiting for messages included",
      sides.flatMap((side) => durations(side, side.durations)),
    ),
    family(
      "mqb_endpoint_bytes_total",
      "counter",
      "Payload bytes of the messages that a side has handled without error",
      perSide(sides, (one) => one.bytes),
    ),
    family(
      "mqb_endpoint_failures_total",
      "counter",
      "Messages that a sink did not take; of an input, reads and commits that failed; by the kind of the error",
      sides.flatMap((one) => [...one.failures].map(([kind, count]) => sample("", { ...labelsOf(one), kind }, count))),
    ),
    family(
      "mqb_endpoint_in_flight_messages",
      "gauge",
      "Messages that a sink has not answered for; of an input, those that are not committed",
      perSide(sides, (one) => one.inFlight),
    ),
    family(
      "mqb_commit_duration_seconds",
      "summary",
      "Seconds from the receipt of a batch to its commit",
      inputs.flatMap((side) => durations(side, side.commits)),
    ),
    family(
      "mqb_oldest_uncommitted_seconds",
      "gauge",
      "How long the oldest batch has waited for its commit",
      perSide(inputs, (one) => one.oldest(now) / 1000),
    ),
    family(
      "mqb_route_up",
      "gauge",
      "1 while the route is connected and healthy",
      perRoute(routes, (one) => Number(one.healthy)),
    ),
    family(
      "mqb_route_received_total",
      "counter",
      "Messages that came from the source",
      perRoute(routes, (one) => one.accounting.received),
    ),
    family(
      "mqb_route_messages_total",
      "counter",
      "What became of received messages",
      routes.flatMap((one) => FATES.map(([fate, key]) => sample("", { route: one.name, fate }, one.accounting[key]))),
    ),
    family(
      "mqb_route_drops_total",
      "counter",
      "Messages that failed for good and were dropped, by the code of the error",
      routes.flatMap((one) => one.drops.map(({ code, count }) => sample("", { route: one.name, code }, count))),
    ),
    family(
      "mqb_route_retries_total",
      "counter",
      "Messages that were sent again by a retry middleware",
      perRoute(routes, (one) => retries(one.name)),
    ),
    family(
      "mqb_route_in_flight_messages",
      "gauge",
      "Messages received and not settled yet",
      perRoute(routes, (one) => one.accounting.inFlight),
    ),
    family(
      "mqb_route_in_flight_bytes",
      "gauge",
      "Their payloads' bytes",
      perRoute(routes, (one) => one.inFlight.bytes),
    ),
    family(
      "mqb_route_reconnects_total",
      "counter",
      "Connections made anew",
      perRoute(routes, (one) => one.reconnects),
    ),
    family(
      "mqb_endpoint_pending_messages",
      "gauge",
      "Lag, backlog or depth of an end, where it is known",
      routes.flatMap(pending),
    ),
  ];
  return `${families.filter((one) => one !== "").join("\n")}\n`;
}

type Labels = Readonly<Record<string, string>>;

function labelsOf({ route, endpoint }: SideMetrics): Labels {
  return { route, endpoint };
}

function durations(side: SideMetrics, measured: Durations): string[] {
  const labels = labelsOf(side);
  const quantiles = QUANTILES.map((share) =>
    sample("", { ...labels, quantile: String(share) }, measured.quantile(share)),
  );
  return [...quantiles, sample("_sum", labels, measured.sum), sample("_count", labels, measured.count)];
}

function perSide(sides: readonly SideMetrics[], value: (side: SideMetrics) => number): string[] {
  return sides.map((side) => sample("", labelsOf(side), value(side)));
}

function pending({ name, input, output }: RouteStatus): string[] {
  return (
    [
      ["input", input?.pending],
      ["output", output?.pending],
    ] as const
  ).flatMap(([side, count]) => (count === undefined ? [] : [sample("", { route: name, side }, count)]));
}

function perRoute(routes: readonly RouteStatus[], value: (route: RouteStatus) => number): string[] {
  return routes.map((route) => sample("", { route: route.name }, value(route)));
}

/** A sample whose family's name is put before it. */
function sample(suffix: string, labels: Labels, value: number): string {
  const written = Object.entries(labels).map(([name, text]) => `${name}="${escaped(text)}"`);
  return `${suffix}{${written.join(",")}} ${value}`;
}

function family(name: string, type: string, help: string, samples: readonly string[]): string {
  if (samples.length === 0) return "";
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map((one) => name + one)].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
