import { expect, it } from "vitest";
import { routeLines } from "./linted.ts";

it("warns of a route that writes to the topic that it reads", () => {
  expect(routeLines("input: {memory: {topic: a}}, output: {memory: {topic: memory://a}}")).toEqual([
    expect.stringMatching(/^warning MQB_LINT_LOOP .* r\.output\.memory: .*"a" of "memory".*round for ever/),
  ]);
});

it("takes all fields that name a source together", () => {
  const kafka = (url: string, topic: string) => `{kafka: {url: "${url}", topic: ${topic}}}`;
  const route = (input: string, output: string) => routeLines(`input: ${input}, output: ${output}`);
  expect(route(kafka("a:1", "t"), kafka("a:1", "t"))).toHaveLength(1);
  expect(route(kafka("a:1", "t"), kafka("b:1", "t"))).toEqual([]);
  expect(route(kafka("a:1", "t"), kafka("a:1", "u"))).toEqual([]);
});
