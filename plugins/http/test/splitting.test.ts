import { describe, expect, it } from "vitest";
import { createSplitter, formatOfStream, ItemTooLarge, type StreamFormat } from "../src/stream/splitter.ts";

/** The items of a body, cut at every place, and at all of them. */
function items(format: StreamFormat, body: string): string[][] {
  const bytes = Buffer.from(body);
  const cuts = [[], [...bytes.keys()], ...Array.from(bytes.keys(), (at) => [at])];
  const results = cuts.map((places) => {
    const splitter = createSplitter(format, 1000);
    const parts = [0, ...places.filter((at) => at > 0), bytes.length];
    const found = parts.slice(1).flatMap((end, i) => splitter.push(bytes.subarray(parts[i], end)));
    return [...found, ...splitter.end()].map(({ payload, event, id }) =>
      [payload.toString(), event, id].filter((part) => part !== undefined).join("|"),
    );
  });
  for (const result of results) expect(result).toEqual(results[0]);
  return [results[0]!];
}

describe("a body in pieces", () => {
  it.each([
    ["a\nb\n", ["a", "b"]],
    ["a\r\n\r\n\nb", ["a", "b"]],
    ["", []],
    ["ü\n", ["ü"]],
  ])("of lines %j", (body, wanted) => {
    expect(items("ndjson", body)).toEqual([wanted]);
  });

  it.each([
    ["data: x\n\ndata: y\ndata: z\n\n", ["x", "y\nz"]],
    ["event: e\nid: 1\ndata: x\n\ndata: y\n\n", ["x|e|1", "y|1"]],
    ["data:x\r\ndata:  y\r\n\r\n", ["x\n y"]],
    ["data: x\rdata: y\r\r", ["x\ny"]],
    [": comment\nretry: 10\n\n\n", []],
    ["event: nothing\n\ndata\n\n", [""]],
    ["\ufeffdata: bom\n\n", ["bom"]],
    ["data: cut off", ["cut off"]],
    ["id: a\u0000b\ndata: x\n\n", ["x"]],
  ])("of events %j", (body, wanted) => {
    expect(items("sse", body)).toEqual([wanted]);
  });

  it("holds no more than it may", () => {
    for (const format of ["ndjson", "sse"] as const) {
      const splitter = createSplitter(format, 10);
      expect(() => splitter.push(Buffer.from(`data: ${"x".repeat(20)}`))).toThrow(ItemTooLarge);
      const lines = createSplitter(format, 10);
      expect(() => {
        for (let i = 0; i < 10; i++) lines.push(Buffer.from("data:xxx"));
      }).toThrow(ItemTooLarge);
    }
  });

  it("gives what it has found before an item that is too large", () => {
    for (const [format, body] of [
      ["ndjson", "a\nb\n0123456789a"],
      ["sse", "data: a\n\ndata: b\n\ndata: 0123456789a"],
    ] as const) {
      const found: string[] = [];
      try {
        createSplitter(format, 10).push(Buffer.from(body));
      } catch (error) {
        for (const { payload } of (error as ItemTooLarge).before) found.push(payload.toString());
      }
      expect(found, format).toEqual(["a", "b"]);
    }
  });

  it.each(["ndjson", "sse"] as const)("costs no more the longer its item becomes: %s", (format) => {
    const splitter = createSplitter(format, 1e9);
    const chunk = Buffer.alloc(64 * 1024, "a");
    const started = process.cpuUsage();
    for (let i = 0; i < 300; i++) splitter.push(chunk);
    expect(splitter.end().length).toBe(format === "sse" ? 0 : 1);
    // To look at all that has come again with each chunk takes thirty times as long.
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(4);
  });

  it("is cut as its type says", () => {
    expect(formatOfStream("Text/Event-Stream; charset=utf-8")).toBe("sse");
    for (const type of ["application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-lines"]) {
      expect(formatOfStream(type)).toBe("ndjson");
    }
    for (const type of ["application/json", "text/plain", undefined]) expect(formatOfStream(type)).toBe("raw_chunks");
  });
});
