import { messageBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { run, setUp } from "./setup.ts";

const fault = (config: object) => ({ random_panic: config });
const ROUTE = { allow_fault_injection: true, exit_on_empty: true, reconnect_interval_ms: 0 };

it.each(["panic", "disconnect", "timeout", "nack"])(
  "a source that fails once with %s is opened again, and nothing is lost",
  async (mode) => {
    const { source, sink, bridge } = setUp();
    source
      .push(messageBatch(2))
      .push(messageBatch(2, { from: 2 }))
      .pushEmpty();
    const input = { source: {}, middlewares: [fault({ mode, trigger_on_message: 2 })] };
    const result = await run(bridge, "r", { ...ROUTE, input, output: { sink: {} } });
    expect(result).toMatchObject({ outcome: "completed", accounting: { delivered: 4 } });
    expect(texts(sink.messages)).toEqual(["message 0", "message 1", "message 2", "message 3"]);
  },
);

it.each([
  ["panic", { delivered: 2, deadLettered: 0 }],
  ["timeout", { delivered: 2, deadLettered: 0 }],
  ["json_format_error", { delivered: 0, deadLettered: 2 }],
])("a sink that fails once with %s: what retry and dlq make of it", async (mode, accounting) => {
  const { source, dead, bridge } = setUp();
  source.push(messageBatch(2)).pushEmpty();
  const middlewares = [
    fault({ mode, trigger_on_message: 1 }),
    { retry: { initial_interval_ms: 0 } },
    { dlq: { endpoint: { dead: {} } } },
  ];
  const result = await run(bridge, "r", { ...ROUTE, input: { source: {} }, output: { sink: {}, middlewares } });
  expect(result).toMatchObject({ outcome: "completed", accounting });
  expect(dead.messages.length).toBe(accounting.deadLettered);
});

it("without the route's permission nothing fails", async () => {
  const { source, bridge } = setUp();
  source.push(messageBatch(2)).pushEmpty();
  const output = { sink: {}, middlewares: [fault({})] };
  const result = await run(bridge, "r", { input: { source: {} }, output, exit_on_empty: true });
  expect(result).toMatchObject({ outcome: "completed", accounting: { delivered: 2 } });
});
