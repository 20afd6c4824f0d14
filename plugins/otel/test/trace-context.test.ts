import { createTraceState } from "@opentelemetry/api";
import { describe, expect, it } from "vitest";
import { readContext, withContext } from "../src/trace-context.ts";
import { SPAN, TRACE } from "./traced.ts";

const read = (traceparent: string, tracestate?: string) =>
  readContext(
    new Map(Object.entries({ traceparent, ...(tracestate === undefined ? {} : { tracestate }) })),
    createTraceState,
  );

describe("a traceparent", () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, 1],
    [`00-${TRACE}-${SPAN}-00`, 0],
    [` 00-${TRACE}-${SPAN}-03 `, 3],
    [`01-${TRACE}-${SPAN}-01`, 1],
    [`fe-${TRACE}-${SPAN}-01-what-comes-later`, 1],
  ])("%s is read", (text, traceFlags) => {
    expect(read(text)).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags, isRemote: true });
  });

  it.each([
    "",
    "00",
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01\n`.repeat(2),
    `00_${TRACE}_${SPAN}_01`,
    "x".repeat(100_000),
  ])("%j is as good as none", (text) => expect(read(text)).toBeUndefined());

  it("comes with its tracestate", () => {
    expect(read(`00-${TRACE}-${SPAN}-01`, "a=1,b=2")!.traceState!.serialize()).toBe("a=1,b=2");
    expect(read(`00-${TRACE}-${SPAN}-01`, "x".repeat(10_000))!.traceState).toBeUndefined();
  });

  it("is written so that it can be read again, and takes the place of one that was there", () => {
    const context = { traceId: TRACE, spanId: SPAN, traceFlags: 1, traceState: createTraceState("a=1") };
    const before = new Map([
      ["k", "v"],
      ["traceparent", "old"],
      ["tracestate", "old=1"],
    ]);
    const metadata = withContext(before, context);
    expect([...metadata]).toEqual([
      ["k", "v"],
      ["traceparent", `00-${TRACE}-${SPAN}-01`],
      ["tracestate", "a=1"],
    ]);
    expect(withContext(before, { traceId: TRACE, spanId: SPAN, traceFlags: 0 }).has("tracestate")).toBe(false);
    expect(before.get("traceparent")).toBe("old");
  });
});
