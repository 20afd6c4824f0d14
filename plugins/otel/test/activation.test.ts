import { createBridge, createRegistry } from "@mqb/core";
import type { Consumer, Publisher } from "@mqb/core/plugin";
import { CollectingPublisher, fakeContext, fakePlugin, lineBatch, ScriptedConsumer } from "@mqb/testkit";
import * as api from "@opentelemetry/api";
import { afterEach, describe, expect, it, vi } from "vitest";
import plugin from "../src/index.ts";
import { brief, Recorded } from "./traced.ts";

const otel = plugin.middlewares!["otel"]!;
const settings = { spans: "message" };

afterEach(() => {
  api.trace.disable();
  vi.doUnmock("@opentelemetry/api");
  vi.resetModules();
});

describe("without a tracer provider", () => {
  it("the middleware is not in the chain, and says so once", async () => {
    const [source, sink] = [new ScriptedConsumer(), new CollectingPublisher()];
    const context = fakeContext();
    expect(await otel.input!(source, settings, context)).toBe(source);
    expect(await otel.output!(sink, settings, context)).toBe(sink);
    expect(context.log.entries.map(({ level, message }) => [level, message])).toEqual(
      new Array(2).fill(["info", "input: no OpenTelemetry tracer provider is set, so no spans are made"]),
    );
  });

  it("nor is it where the OpenTelemetry API is not installed", async () => {
    vi.resetModules();
    vi.doMock("@opentelemetry/api", () => {
      throw new Error("Cannot find package '@opentelemetry/api'");
    });
    const { findTracing } = await import("../src/tracing.ts");
    expect(await findTracing("r")).toBeUndefined();
  });
});

describe("with a tracer provider", () => {
  it("that was set before the route starts, a message's trace goes through the route", async () => {
    await using recorded = new Recorded();
    api.trace.setGlobalTracerProvider(recorded.provider);
    const [source, sink] = [new ScriptedConsumer().push(lineBatch(3)).pushEmpty(), new CollectingPublisher()];
    const fakes = fakePlugin({ source: { consumer: source }, sink: { publisher: sink } });
    const bridge = createBridge({ registry: createRegistry([plugin, fakes]) });
    const middlewares = [{ otel: {} }];
    const route = bridge.route("orders", {
      exit_on_empty: true,
      input: { source: {}, middlewares },
      output: { sink: {}, middlewares },
    });
    await route.start();
    expect(await route.done).toMatchObject({ outcome: "completed" });
    const spans = recorded.spans.map(brief);
    expect(spans.map(({ name }) => name).sort()).toEqual([
      ...new Array<string>(3).fill("orders receive"),
      ...new Array<string>(3).fill("orders send"),
    ]);
    const receives = recorded.spans.filter(({ name }) => name === "orders receive");
    const parents = spans.filter(({ name }) => name === "orders send").map(({ parent }) => parent);
    expect(parents).toEqual(receives.map((span) => `${span.spanContext().traceId}-${span.spanContext().spanId}`));
  });

  it.each<[string, (inner: Consumer | Publisher) => unknown]>([
    ["input", (inner) => otel.input!(inner as Consumer, settings, fakeContext())],
    ["output", (inner) => otel.output!(inner as Publisher, settings, fakeContext())],
  ])("the middleware is in the chain of an %s", async (side, open) => {
    await using recorded = new Recorded();
    api.trace.setGlobalTracerProvider(recorded.provider);
    const inner = side === "input" ? new ScriptedConsumer() : new CollectingPublisher();
    expect(await open(inner)).not.toBe(inner);
  });
});
