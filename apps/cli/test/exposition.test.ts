import { formatAddress, isLoopback, parseAddress } from "@mqb/config/uri";
import type { RouteStatus } from "@mqb/core";
import { MetricsRegistry } from "@mqb/standard";
import { beforeAll, describe, expect, it } from "vitest";
import { exposition } from "../src/metrics/exposition.ts";

const route = (name: string, received: number): RouteStatus => ({
  name,
  state: "running",
  healthy: true,
  guarantee: "at_least_once",
  guaranteeReason: "",
  accounting: {
    ...{ received, inFlight: 1, delivered: received - 4, replied: 0, filtered: 1, deduplicated: 0 },
    ...{ deadLettered: 2, dropped: 0, nacked: 0 },
  },
  drops: [],
  reconnects: 3,
  inFlight: { batches: 1, bytes: 100 },
  input: { healthy: true, target: "t", pending: 12 },
});

const measured = { retries: () => 5, now: 0 };

describe("exported metrics", () => {
  const registry = new MetricsRegistry();
  const side = registry.of("a", "input");
  side.processed = 7;
  side.durations.observe(0.5);
  let text = "";
  beforeAll(async () => {
    const routes = [route("a", 10), route('b "x"\n', 4)];
    text = await exposition({ version: "1.2.3", routes, sides: registry.list(), ...measured }).metrics();
  });

  it.each([
    'mq_bridge_app_info{version="1.2.3"} 1',
    'queue_messages_processed_total{route="a",endpoint="input"} 7',
    'queue_message_processing_duration_seconds_count{route="a",endpoint="input"} 1',
    'queue_message_processing_duration_seconds_sum{route="a",endpoint="input"} 0.5',
    'mqb_route_up{route="a"} 1',
    'mqb_route_received_total{route="a"} 10',
    'mqb_route_messages_total{route="a",fate="dead_lettered"} 2',
    'mqb_route_in_flight_messages{route="a"} 1',
    'mqb_route_in_flight_bytes{route="a"} 100',
    'mqb_route_reconnects_total{route="a"} 3',
    'mqb_route_retries_total{route="a"} 5',
    'mqb_endpoint_pending_messages{route="a",side="input"} 12',
    'mqb_route_up{route="b \\"x\\"\\n"} 1',
  ])("hold %s", (line) => expect(text.split("\n")).toContain(line));

  it("name every family once, before its samples, with a type", () => {
    const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name]) => name);
    expect(new Set(families).size).toBe(families.length);
    for (const line of text.split("\n").filter((one) => one !== "" && !one.startsWith("#"))) {
      expect(families.some((family) => line.startsWith(family!))).toBe(true);
    }
  });

  it("have no family without samples", async () => {
    expect(await exposition({ version: "1", routes: [], sides: [], ...measured }).metrics()).not.toContain("mqb_");
  });
});

describe("an address", () => {
  it.each([
    ["127.0.0.1:9090", "127.0.0.1", 9090],
    ["0.0.0.0:1", "0.0.0.0", 1],
    ["[::1]:9090", "::1", 9090],
    [":9091", "127.0.0.1", 9091],
    ["9092", "127.0.0.1", 9092],
    ["metrics.local:80", "metrics.local", 80],
  ])("%s", (text, host, port) => expect(parseAddress(text)).toEqual({ host, port }));

  it.each(["", "host", "host:", "host:99999", "::1:90:x", "http://a:1", "a b:1"])("is not %j", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  it("is written so that it can be read again", () => {
    for (const text of ["127.0.0.1:9090", "[::1]:9090"]) expect(formatAddress(parseAddress(text)!)).toBe(text);
  });

  it.each([
    ["127.0.0.1:1", true],
    ["localhost:1", true],
    ["[::1]:1", true],
    ["0.0.0.0:1", false],
    ["10.0.0.1:1", false],
  ])("%s is of this machine only: %s", (text, expected) => expect(isLoopback(parseAddress(text)!)).toBe(expected));
});
