import { batchOf, codeOf, Message, slabBatch } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { createEncoder } from "../src/index.ts";
import { decodeAll, payloads as payloadsOf, written } from "./support.ts";

const LF = Buffer.from("\n");

describe("raw records", () => {
  it("are payloads, each followed by the delimiter, whatever they hold", () => {
    const batch = batchOf([new Message("a\nb"), new Message(""), new Message(Buffer.from([0xff]))]);
    expect(Buffer.concat(createEncoder("raw", Buffer.from("||")).encode(batch).chunks)).toEqual(
      Buffer.concat([Buffer.from("a\nb||||"), Buffer.from([0xff]), Buffer.from("||")]),
    );
  });

  it.each([
    ["||", ["a|", "b", "c||d", "|", "|e"], ["b", "|e"]],
    ["aba", ["ab", "xab", "b", "aba", "xa", "ba"], ["b", "xa", "ba"]],
    ["\r\n", ["a\r", "b\n", "c\r\nd"], ["a\r", "b\n"]],
  ])("with the delimiter %j come back as they were, or are refused", (text, payloads, written) => {
    const delimiter = Buffer.from(text);
    const { chunks, refused } = createEncoder("raw", delimiter).encode(
      batchOf(payloads.map((one) => new Message(one))),
    );
    expect(payloadsOf(decodeAll(Buffer.concat(chunks).toString(), { format: "raw", delimiter }))).toEqual(written);
    expect(refused.map(({ index }) => payloads[index])).toEqual(payloads.filter((one) => !written.includes(one)));
    for (const { error } of refused) expect(codeOf(error)).toBe("MQB_FORMATS_DELIMITER_IN_PAYLOAD");
  });

  it("that lie in a chunk with the same delimiter are written as one view of it", () => {
    const [decoded] = decodeAll("a\nb\nc\n", { format: "raw" });
    const { chunks } = createEncoder("raw", LF).encode(decoded!.batch);
    expect(chunks).toHaveLength(1);
    expect(chunks[0]!.buffer).toBe(decoded!.batch.slab!.bytes.buffer);
    expect(chunks[0]!.toString()).toBe("a\nb\nc\n");
  });

  it("of a selection keep their order", () => {
    const [decoded] = decodeAll("a\nb\nc\nd\n", { format: "raw" }, 1 << 20, 10);
    const encoder = createEncoder("raw", LF);
    expect(written(encoder.encode(decoded!.batch.select(Uint32Array.of(0, 2, 3))))).toBe("a\nc\nd\n");
    expect(written(encoder.encode(decoded!.batch.select(Uint32Array.of(3, 0))))).toBe("d\na\n");
  });

  it("are copied where another delimiter stands between them", () => {
    const [decoded] = decodeAll("a\r\nb\r\n", { format: "raw" });
    expect(written(createEncoder("raw", LF).encode(decoded!.batch))).toBe("a\nb\n");
    expect(written(createEncoder("raw", Buffer.from("\0")).encode(decoded!.batch))).toBe("a\0b\0");
  });

  it("of many short runs are copied together", () => {
    const count = 2000;
    const bytes = Buffer.from("xy\n".repeat(count));
    const starts = Uint32Array.from({ length: count / 2 }, (_, i) => i * 6);
    const batch = slabBatch({ bytes, starts, ends: starts.map((start) => start + 2), terminator: LF });
    const { chunks } = createEncoder("raw", LF).encode(batch);
    expect(chunks).toHaveLength(1);
    expect(chunks[0]!.toString()).toBe("xy\n".repeat(count / 2));
  });

  it("of an empty batch are nothing", () => {
    expect(createEncoder("raw", LF).encode(batchOf([])).chunks).toEqual([]);
  });
});
