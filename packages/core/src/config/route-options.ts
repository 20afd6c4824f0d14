import type { Guarantee, RouteConfig } from "../contract/config-types.ts";
import { suggest } from "./nearest.ts";
import type { Problems } from "./problem.ts";
import { typeName } from "./value-type.ts";

/** The options of a route with every default filled in. Times in milliseconds. */
export interface RouteOptions extends Readonly<Record<keyof typeof NUMBERS, number>> {
  readonly exitOnEmpty: boolean;
  readonly allowFaultInjection: boolean;
  readonly description: string;
  readonly requiredDelivery?: Guarantee;
}

const MAX_TIMER = 2 ** 31 - 1;
const GUARANTEES: readonly Guarantee[] = ["at_most_once", "at_least_once", "effectively_once"];

/** Options that are whole numbers: the field, its default and the bounds. */
const NUMBERS = {
  concurrency: ["concurrency", 1, 1, 1_000_000],
  // When the user gives none, the one that the sink asks for.
  batchSize: ["batch_size", 512, 1, 100_000_000],
  commitConcurrencyLimit: ["commit_concurrency_limit", 4096, 1, 1_000_000],
  startupTimeoutMs: ["startup_timeout_ms", 5000, 0, MAX_TIMER],
  reconnectIntervalMs: ["reconnect_interval_ms", 5000, 0, MAX_TIMER],
  emptyBatchDelayMs: ["empty_batch_delay_ms", 10, 0, MAX_TIMER],
  maxInFlightBytes: ["max_in_flight_bytes", 64 * 1024 * 1024, 1, Number.MAX_SAFE_INTEGER],
} as const satisfies Record<string, NumberRow>;

type NumberRow = readonly [field: keyof RouteConfig, fallback: number, min: number, max: number];

const FLAGS = ["exit_on_empty", "allow_fault_injection"] as const;

/** The fields of a route, for suggestions and schemas. */
export const ROUTE_FIELDS: readonly (keyof RouteConfig)[] = [
  ...(["input", "output", "description"] as const),
  ...Object.values(NUMBERS).map(([field]) => field),
  ...FLAGS,
  "required_delivery",
];

export function isRouteField(name: string): boolean {
  return (ROUTE_FIELDS as readonly string[]).includes(name);
}

/**
 * Reads and checks the options of a route; adds a problem for every value that does not fit. `null` is the default, as
 * if the field were not there.
 */
export function readRouteOptions(raw: Readonly<Record<string, unknown>>, problems: Problems): RouteOptions {
  for (const key of Object.keys(raw)) {
    if (isRouteField(key)) continue;
    const hint = suggest(key, ROUTE_FIELDS);
    problems.at(key).error("MQB_CONFIG_UNKNOWN_FIELD", `a route has no field "${key}"`, hint);
  }
  const given = (field: keyof RouteConfig): unknown => raw[field] ?? undefined;
  const misfit = (field: keyof RouteConfig, wanted: string): void =>
    problems.at(field).error("MQB_CONFIG_VALUE", `"${field}" ${wanted}`);
  const number = ([field, fallback, min, max]: NumberRow): number => {
    const value = given(field) ?? fallback;
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    const what = typeof value === "number" ? value : typeName(value);
    misfit(field, `takes a whole number from ${min} to ${max}, not ${what}`);
    return fallback;
  };
  const flag = (field: (typeof FLAGS)[number]): boolean => {
    const value = given(field) ?? false;
    if (typeof value !== "boolean") misfit(field, `is true or false, not ${typeName(value)}`);
    return value === true;
  };
  const description = given("description") ?? "";
  if (typeof description !== "string") misfit("description", `is a text, not ${typeName(description)}`);
  const required = GUARANTEES.find((level) => level === given("required_delivery"));
  if (!required && given("required_delivery") !== undefined)
    misfit("required_delivery", `is one of ${GUARANTEES.join(", ")}`);
  const numbers = Object.entries(NUMBERS).map(([name, row]) => [name, number(row)]);
  return {
    ...(Object.fromEntries(numbers) as Record<keyof typeof NUMBERS, number>),
    exitOnEmpty: flag("exit_on_empty"),
    allowFaultInjection: flag("allow_fault_injection"),
    description: String(description),
    ...(required ? { requiredDelivery: required } : {}),
  };
}
