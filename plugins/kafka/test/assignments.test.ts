import { describe, expect, it } from "vitest";
import {
  assign,
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from "../src/consumer/assignment.ts";

const members = [
  { id: "b", topics: ["t", "u"] },
  { id: "a", topics: ["t"] },
  { id: "c", topics: ["t", "u"] },
];

function shares(strategy: "range" | "roundrobin", counts: Record<string, number>) {
  const made = assign(strategy, members, new Map(Object.entries(counts)));
  return Object.fromEntries([...made].map(([id, share]) => [id, Object.fromEntries(share)]));
}

describe("sharing out partitions", () => {
  it("by range gives neighbours to one member, the first ones get more", () => {
    expect(shares("range", { t: 7, u: 3 })).toEqual({
      a: { t: [0, 1, 2] },
      b: { t: [3, 4], u: [0, 1] },
      c: { t: [5, 6], u: [2] },
    });
  });

  it("by turns gives everybody about as many", () => {
    expect(shares("roundrobin", { t: 4, u: 3 })).toEqual({
      a: { t: [0, 3] },
      b: { t: [1], u: [0, 2] },
      c: { t: [2], u: [1] },
    });
  });

  it("gives nothing of a topic that nobody reads, and may give a member nothing", () => {
    expect(shares("range", { t: 1, other: 5 })).toEqual({ a: { t: [0] }, b: {}, c: {} });
  });

  it("goes over the wire and back", () => {
    expect(decodeSubscription(encodeSubscription(["t", "grüße"]))).toEqual(["t", "grüße"]);
    const assignment = new Map([
      ["t", [0, 5]],
      ["u", []],
    ]);
    expect(decodeAssignment(encodeAssignment(assignment))).toEqual(assignment);
    expect(decodeAssignment(Buffer.alloc(0)).size).toBe(0);
  });
});

describe("what another member says of itself", () => {
  const whole = encodeSubscription(["t"]);
  const negative = Buffer.from(whole);
  negative.writeInt16BE(-2, 6);
  const many = Buffer.from(whole);
  many.writeInt32BE(0x7fffffff, 2);

  it.each([
    ["is cut off", whole.subarray(0, 8)],
    ["is cut off before a length", whole.subarray(0, 7)],
    ["has a negative length", negative],
    ["promises more than there is", many],
  ])("gets it nothing when it %s", (_, bytes) => {
    expect(decodeSubscription(bytes)).toEqual([]);
  });
});
