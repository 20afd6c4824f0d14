import { describe, expect, it } from "vitest";
import { covers, durableName, overlap, streamFault, subjectFault, subjectsOf } from "../src/names.ts";

describe("names that the original shares", () => {
  it("writes the durable consumer as the original does", () => {
    expect(durableName("orders", "orders.a.b")).toBe("mq-bridge-orders-orders-a-b");
    expect(durableName("v", "v.>")).toBe("mq-bridge-v-v-_all_");
    expect(durableName("v", "foo.*")).toBe("mq-bridge-v-foo-_any_");
  });

  it("makes a stream for its name, or for a subject with wildcards", () => {
    expect(subjectsOf("s", "s.a")).toEqual(["s.>"]);
    expect(subjectsOf("s", "foo.*")).toEqual(["foo.*"]);
  });
});

describe("whether a pattern holds a subject", () => {
  it.each([
    ["s.>", "s.a", true],
    ["s.>", "s.a.b", true],
    ["s.>", "s", false],
    ["s.>", "s.>", true],
    ["s.*", "s.>", false],
    ["s.*", "s.*", true],
    ["s.*", "s.a.b", false],
    ["a", "a", true],
    ["a", "b", false],
    ["a.*.c", "a.b.c", true],
    [">", "anything.at.all", true],
  ])("%s %s", (pattern, subject, held) => {
    expect(covers(pattern, subject)).toBe(held);
  });
});

describe("texts that are no names", () => {
  it.each(["a b", "a\r\nPUB x 0", "a..b", ".a", "a.", "a.>.b", "a\u0000"])("the subject %j", (subject) => {
    expect(subjectFault(subject, true)).toBeDefined();
  });

  it.each(["a.*", ">"])("the subject %j of an output", (subject) => {
    expect(subjectFault(subject, false)).toBeDefined();
    expect(subjectFault(subject, true)).toBeUndefined();
  });

  it.each(["a.b", "a b", "a/b", "*", ">"])("the stream %j", (stream) => {
    expect(streamFault(stream)).toBeDefined();
  });
});

describe("whether two patterns have a subject in common", () => {
  it.each([
    ["s.>", "s.a", true],
    ["s.*", "s.>", true],
    ["*.a", "s.*", true],
    ["s.>", "s", false],
    ["s.a", "s.b", false],
    ["s.a", "s.a.b", false],
    ["other.>", "s.>", false],
  ])("%s and %s: %s", (a, b, common) => {
    expect([overlap(a, b), overlap(b, a)]).toEqual([common, common]);
  });
});
