import { describe, expect, it } from "vitest";
import { eventKinds } from "../src/events.ts";
import { EVENT_KINDS, plan } from "../src/plan.ts";

describe("the plan of a campaign", () => {
  it("is the same for the same seed, so that a failure can be repeated", () => {
    expect(plan(7, 30, EVENT_KINDS)).toEqual(plan(7, 30, EVENT_KINDS));
    expect(plan(7, 30, EVENT_KINDS)).not.toEqual(plan(8, 30, EVENT_KINDS));
  });

  it("begins the same with more rounds", () => {
    expect(plan(7, 50, EVENT_KINDS).slice(0, 30)).toEqual(plan(7, 30, EVENT_KINDS));
  });

  it("lets everything happen that can, and nothing else", () => {
    const drawn = new Set(plan(1, 300, EVENT_KINDS).map(({ event }) => event.kind));
    expect([...drawn].toSorted()).toEqual([...EVENT_KINDS].toSorted());
    expect(new Set(plan(1, 50, ["kill"]).map(({ event }) => event.kind))).toEqual(new Set(["kill"]));
    expect(eventKinds({ servers: [] })).toEqual(["kill", "terminate", "clock jump"]);
  });
});
