import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadDriver, type RequestQueue, repairQueue, SILENT_LOGGER } from "../src/driver/driver.ts";

const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 1000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The queue of a connection whose requests go nowhere. */
async function openQueue(): Promise<RequestQueue> {
  const { Connection } = await loadDriver();
  const { requestQueue: queue } = new Connection({
    ...{ host: "localhost", port: 1, logger: SILENT_LOGGER, ssl: null, sasl: null, clientId: "test" },
    ...{ connectionTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, maxInFlightRequests: null },
    socketFactory: () => {
      throw new Error("nothing connects here");
    },
  });
  repairQueue(Object.assign(queue, { isConnected: () => true }));
  queue.scheduleRequestTimeoutCheck();
  return queue;
}

let ids = 0;

function push(queue: RequestQueue): { sent: boolean; ended: string | undefined } {
  const seen = { sent: false, ended: undefined as string | undefined };
  const entry = {
    ...{ apiKey: 3, apiName: "Metadata", apiVersion: 0, correlationId: ++ids },
    resolve: () => (seen.ended = "answered"),
    reject: ({ name }: Error) => (seen.ended = name),
  };
  queue.push({ entry, expectResponse: true, requestTimeout: null, sendRequest: () => (seen.sent = true) });
  return seen;
}

it.each([
  ["forward", HOUR_MS],
  ["back", -HOUR_MS],
])("a request times out when its time is over, though the clock is set %s", async (_, ms) => {
  const queue = await openQueue();
  const request = push(queue);
  vi.setSystemTime(Date.now() + ms);
  vi.advanceTimersByTime(TIMEOUT_MS - 100);
  expect(request).toEqual({ sent: true, ended: undefined });
  vi.advanceTimersByTime(300);
  expect(request.ended).toBe("KafkaJSRequestTimeoutError");
  queue.destroy();
});

it.each([
  ["forward", HOUR_MS],
  ["back", -HOUR_MS],
])(
  "requests that the broker has slowed down go on after as long as it said, though the clock is set %s",
  async (_, ms) => {
    const queue = await openQueue();
    queue.maybeThrottle(500);
    const request = push(queue);
    vi.setSystemTime(Date.now() + ms);
    vi.advanceTimersByTime(400);
    expect(request.sent).toBe(false);
    vi.advanceTimersByTime(200);
    expect(request.sent).toBe(true);
    queue.destroy();
  },
);

it("arms no timer while nothing waits behind a throttle", async () => {
  const queue = await openQueue();
  queue.maybeThrottle(500);
  push(queue);
  vi.advanceTimersByTime(600);
  queue.checkPendingRequests();
  expect(queue.throttleCheckTimeoutId).toBe(null);
  queue.destroy();
});
