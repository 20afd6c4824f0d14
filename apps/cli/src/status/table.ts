import type { InstanceRecord, RouteRecord, Summary } from "./record.ts";

const COLUMNS = ["INSTANCE", "NAME", "FLOW", "STATE", "RATE", "AVG", "TOTAL", "PENDING", "UPTIME"] as const;

/** The routes of all processes, one line each. */
export function statusTable(instances: readonly InstanceRecord[], now: number): string {
  if (instances.length === 0) return "No running mq-bridge instances.\n";
  const rows = instances.flatMap((instance) => rowsOf(instance, now));
  const widths = COLUMNS.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]!.length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join("  ")
      .trimEnd();
  return `${[COLUMNS, ...rows].map(line).join("\n")}\n`;
}

function rowsOf(instance: InstanceRecord, now: number): string[][] {
  const name = `${instance.kind} ${instance.workspace_label} [${instance.pid}]`;
  const { routes, consumers, publishers } = instance;
  const single = [...consumers, ...publishers].map((one) => ({
    label: one.label,
    flow: one.endpoint,
    summary: one.summary,
  }));
  const all = [
    ...routes.map((route) => ({ label: route.label, flow: flowOf(route), summary: route.summary })),
    ...single,
  ];
  if (all.length === 0) return [[name, "-", "-", "idle", "-", "-", "-", "-", uptime(now - instance.started_at_ms)]];
  return all.map(({ label, flow, summary }) => [
    name,
    label,
    flow,
    stateOf(summary),
    rate(summary.running ? summary.throughput : 0),
    rate(summary.average_throughput ?? 0),
    String(summary.message_sequence),
    pending(summary),
    uptime(now - (summary.started_at_ms ?? instance.started_at_ms)),
  ]);
}

function flowOf(route: RouteRecord): string {
  return `${route.input.endpoint} -> ${route.output.endpoint}`;
}

export function stateOf(summary: Summary): string {
  if (summary.outcome === "completed") return summary.error === null ? "completed" : "completed (error)";
  if (summary.outcome) return summary.outcome;
  if (summary.running) return summary.healthy ? "running" : "unhealthy";
  return summary.started_at_ms ? "unhealthy" : "idle";
}

function rate(perSecond: number): string {
  return perSecond > 0 ? `${perSecond.toFixed(1)}/s` : "-";
}

function pending({ pending: count, capacity }: Summary): string {
  if (count === null || count === undefined) return "-";
  return capacity === null || capacity === undefined ? String(count) : `${count}/${capacity}`;
}

export function uptime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (number: number): string => String(number).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h${two(Math.floor((seconds % 3600) / 60))}m`;
}
