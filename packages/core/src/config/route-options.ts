import type { Guarantee } from "../contract/config-types.ts";
import { isRecord, typeName } from "./parse-endpoint.ts";
import { type Problem, suggest } from "./problem.ts";

/** The options of a route with every default filled in. Times in milliseconds. */
export interface RouteOptions {
  readonly concurrency: number;
  readonly batchSize: number;
  readonly commitConcurrencyLimit: number;
  readonly startupTimeoutMs: number;
  readonly reconnectIntervalMs: number;
  readonly emptyBatchDelayMs: number;
  readonly maxInFlightBytes: number;
  readonly exitOnEmpty: boolean;
  readonly allowFaultInjection: boolean;
  readonly description: string;
  readonly requiredDelivery?: Guarantee;
  /** Whether the user gave a batch size; otherwise the sink's own default applies. */
  readonly batchSizeGiven: boolean;
}

const MAX_TIMER = 2 ** 31 - 1;
const NUMBERS = {
  concurrency: { field: "concurrency", fallback: 1, min: 1, max: 1_000_000 },
  batchSize: { field: "batch_size", fallback: 512, min: 1, max: 100_000_000 },
  commitConcurrencyLimit: { field: "commit_concurrency_limit", fallback: 4096, min: 1, max: 1_000_000 },
  startupTimeoutMs: { field: "startup_timeout_ms", fallback: 5000, min: 1, max: MAX_TIMER },
  reconnectIntervalMs: { field: "reconnect_interval_ms", fallback: 5000, min: 1, max: MAX_TIMER },
  emptyBatchDelayMs: { field: "empty_batch_delay_ms", fallback: 10, min: 0, max: MAX_TIMER },
  maxInFlightBytes: { field: "max_in_flight_bytes", fallback: 64 * 1024 * 1024, min: 1, max: Number.MAX_SAFE_INTEGER },
} as const;
const FLAGS = { exitOnEmpty: "exit_on_empty", allowFaultInjection: "allow_fault_injection" } as const;
const GUARANTEES: readonly Guarantee[] = ["at_most_once", "at_least_once", "effectively_once"];

/** The fields of a route, for suggestions and schemas. */
export const ROUTE_FIELDS: readonly string[] = [
  "input",
  "output",
  "description",
  ...Object.values(NUMBERS).map((number) => number.field),
  ...Object.values(FLAGS),
  "required_delivery",
];

/** Reads and checks the options of a route; adds a problem for every value that does not fit. */
export function readRouteOptions(raw: Readonly<Record<string, unknown>>, problems: Problem[]): RouteOptions {
  const bad = (field: string, code: string, message: string, hint?: string): void => {
    problems.push({ level: "error", code, path: [field], message, ...(hint === undefined ? {} : { hint }) });
  };
  for (const key of Object.keys(raw)) {
    if (!ROUTE_FIELDS.includes(key))
      bad(key, "MQB_CONFIG_UNKNOWN_FIELD", `a route has no field "${key}"`, suggest(key, ROUTE_FIELDS));
  }
  const options: Record<string, unknown> = { description: "", batchSizeGiven: isGiven(raw["batch_size"]) };
  for (const [name, { field, fallback, min, max }] of Object.entries(NUMBERS)) {
    const value = raw[field];
    options[name] = fallback;
    if (!isGiven(value)) continue;
    if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
      bad(
        field,
        "MQB_CONFIG_VALUE",
        `"${field}" takes a whole number from ${min} to ${max}, not ${typeof value === "number" ? value : typeName(value)}`,
      );
    } else options[name] = value;
  }
  for (const [name, field] of Object.entries(FLAGS)) {
    const value = raw[field];
    options[name] = value === true;
    if (isGiven(value) && typeof value !== "boolean")
      bad(field, "MQB_CONFIG_VALUE", `"${field}" is true or false, not ${typeName(value)}`);
  }
  const description = raw["description"];
  if (isGiven(description)) {
    if (typeof description === "string") options["description"] = description;
    else bad("description", "MQB_CONFIG_VALUE", `"description" is a text, not ${typeName(description)}`);
  }
  const required = raw["required_delivery"];
  if (isGiven(required)) {
    if (GUARANTEES.includes(required as Guarantee)) options["requiredDelivery"] = required;
    else bad("required_delivery", "MQB_CONFIG_VALUE", `"required_delivery" is one of ${GUARANTEES.join(", ")}`);
  }
  return options as unknown as RouteOptions;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export function asRouteRecord(raw: unknown, problems: Problem[]): Readonly<Record<string, unknown>> | undefined {
  if (isRecord(raw)) return raw;
  problems.push({
    level: "error",
    code: "MQB_CONFIG_TYPE",
    path: [],
    message: `a route is a map with "input" and "output", not ${typeName(raw)}`,
  });
  return undefined;
}
