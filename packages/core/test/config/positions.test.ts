import { describe, expect, it } from "vitest";
import type { InputCapabilities } from "../../src/contract/endpoint.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { sink, source } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { check, errorsOf } from "./support.ts";

const between = (input: Partial<InputCapabilities>) => ({
  endpoints: {
    in: source(() => new FakeConsumer(), input),
    out: sink(() => new FakePublisher(), { idempotent: true, needsPositions: "name_by: source_position" }),
  },
});
const route = { input: { in: {} }, output: { out: {} } };

describe("an output that names what it writes by source positions", () => {
  it("refuses an input that has none, by the names of both", () => {
    expect(errorsOf(route, between({}))).toEqual([
      expect.stringMatching(/^NO_POSITION output: name_by: source_position of "out" .* "in" does not have/),
    ]);
  });

  it("takes one whose positions repeat, for an effect as if once", () => {
    expect(check(route, between({ replayablePosition: true })).plan?.guarantee.level).toBe("effectively_once");
  });

  it("takes one whose positions do not repeat, for at least once, whatever its ids", () => {
    const options = between({ positions: true, stableIds: true });
    expect(check(route, options).plan?.guarantee.level).toBe("at_least_once");
  });

  it("is not bothered by an input that has none when it does not need them", () => {
    expect(errorsOf({ input: { in: {} } }, between({}))).toEqual([]);
  });
});
