import { describe, expect, it } from "vitest";
import { sink } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { check, errorsOf } from "./support.ts";

const NUMBERS = {
  concurrency: { name: "concurrency", fallback: 1, min: 1, max: 1_000_000 },
  batch_size: { name: "batchSize", fallback: 512, min: 1, max: 100_000_000 },
  commit_concurrency_limit: { name: "commitConcurrencyLimit", fallback: 4096, min: 1, max: 1_000_000 },
  startup_timeout_ms: { name: "startupTimeoutMs", fallback: 5000, min: 0, max: 2 ** 31 - 1 },
  reconnect_interval_ms: { name: "reconnectIntervalMs", fallback: 5000, min: 0, max: 2 ** 31 - 1 },
  empty_batch_delay_ms: { name: "emptyBatchDelayMs", fallback: 10, min: 0, max: 2 ** 31 - 1 },
  max_in_flight_bytes: { name: "maxInFlightBytes", fallback: 67_108_864, min: 1, max: Number.MAX_SAFE_INTEGER },
} as const;

describe.each(Object.entries(NUMBERS))("%s", (field, { name, fallback, min, max }) => {
  const read = (value: unknown) => check({ [field]: value }).plan?.options[name];

  it("has its default when it is absent or null", () => {
    expect(read(undefined)).toBe(fallback);
    expect(read(null)).toBe(fallback);
  });

  it("takes the ends of its range", () => {
    expect(read(min)).toBe(min);
    expect(read(max)).toBe(max);
  });

  it.each([
    [0, "0"],
    [-1, "-1"],
    [1.5, "1.5"],
    [1e9, "1000000000"],
    ["10", "a string"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "Infinity"],
    [true, "a boolean"],
    [[], "a list"],
  ])("refuses %j with the range, unless it is within", (value, text) => {
    const fits = typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
    expect(errorsOf({ [field]: value })).toEqual(
      fits ? [] : [`VALUE ${field}: "${field}" takes a whole number from ${min} to ${max}, not ${text}`],
    );
  });
});

describe.each([
  ["exit_on_empty", "exitOnEmpty"],
  ["allow_fault_injection", "allowFaultInjection"],
] as const)("%s", (field, name) => {
  it.each([
    [undefined, false],
    [null, false],
    [false, false],
    [true, true],
  ])("%j is %s", (value, read) => {
    expect(check({ [field]: value }).plan?.options[name]).toBe(read);
  });

  it.each([["true"], [1]])("refuses %j", (value) => {
    expect(errorsOf({ [field]: value })).toEqual([
      `VALUE ${field}: "${field}" is true or false, not a ${typeof value}`,
    ]);
  });
});

describe("the other options", () => {
  it("have defaults", () => {
    const options = check({}).plan?.options;
    expect(options).toMatchObject({ description: "", batchSize: 512 });
    expect(options).not.toHaveProperty("requiredDelivery");
  });

  it("have the batch size that the sink asks for, unless the user gives one", () => {
    const large = sink(() => new FakePublisher(), { defaultBatchSize: 4096 });
    const sizeOf = (route: object) =>
      check({ output: { large: {} }, ...route }, { endpoints: { large } }).plan?.options.batchSize;
    expect(sizeOf({})).toBe(4096);
    expect(sizeOf({ batch_size: null })).toBe(4096);
    expect(sizeOf({ batch_size: 7 })).toBe(7);
  });

  it("take a description", () => {
    expect(check({ description: "x" }).plan?.options.description).toBe("x");
    expect(errorsOf({ description: 1 })).toEqual(['VALUE description: "description" is a text, not a number']);
  });

  it("take a required delivery", () => {
    expect(check({ required_delivery: "at_least_once" }).plan?.options.requiredDelivery).toBe("at_least_once");
    expect(errorsOf({ required_delivery: "exactly_once" })).toEqual([
      'VALUE required_delivery: "required_delivery" is one of at_most_once, at_least_once, effectively_once',
    ]);
  });
});
