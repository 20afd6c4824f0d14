import { describe, expect, it } from "vitest";
import type { InputCapabilities, OutputCapabilities } from "../../src/contract/endpoint.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { sink, source } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { check, errorsOf } from "./support.ts";

function between(input: Partial<InputCapabilities>, output: Partial<OutputCapabilities>) {
  return {
    endpoints: { in: source(() => new FakeConsumer(), input), out: sink(() => new FakePublisher(), output) },
  };
}
const route = { input: { in: {} }, output: { out: {} } };

describe("the guarantee of a route", () => {
  it.each([
    [
      "at_most_once",
      { acknowledges: false },
      { idempotent: true },
      'the input "in" cannot give a message back once it was read',
    ],
    ["at_most_once", {}, { acknowledges: false, idempotent: true }, 'the output "out" does not confirm what it takes'],
    ["at_least_once", { stableIds: true }, {}, 'the output "out" may write a repeated message twice'],
    ["at_least_once", {}, { idempotent: true }, 'the input "in" has no identity that repeats'],
    [
      "effectively_once",
      { stableIds: true },
      { idempotent: true },
      'the input "in" repeats its identities and the output "out" takes each once',
    ],
    [
      "effectively_once",
      { replayablePosition: true },
      { idempotent: true },
      'the input "in" repeats its identities and the output "out" takes each once',
    ],
  ])("is %s for %j to %j", (level, input, output, reason) => {
    expect(check(route, between(input, output)).plan?.guarantee).toEqual({ level, reason });
  });
});

describe("required_delivery", () => {
  const levels = ["at_most_once", "at_least_once", "effectively_once"];
  const ends = [
    between({ acknowledges: false }, {}),
    between({}, {}),
    between({ stableIds: true }, { idempotent: true }),
  ];
  for (const [have, options] of ends.entries())
    for (const [want, level] of levels.entries())
      it(`${level} is ${want > have ? "refused" : "met"} when the route is ${levels[have]}`, () => {
        const errors = errorsOf({ ...route, required_delivery: level }, options);
        expect(errors.map((text) => text.replace(/: (?:the .*)$/, ""))).toEqual(
          want > have
            ? [`MQB_CORE_GUARANTEE required_delivery: required_delivery is ${level}, but this route is ${levels[have]}`]
            : [],
        );
      });
});
