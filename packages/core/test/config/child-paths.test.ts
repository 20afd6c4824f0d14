import { expect, it } from "vitest";
import type { ChildEndpoint, EndpointDefinition } from "../../src/contract/definition.ts";
import { OUTPUT } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { check } from "./support.ts";

const anything = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const;

/** An endpoint whose members are endpoints, under the paths that it gives them. */
const choosing = (path: (key: string) => ChildEndpoint["path"]): EndpointDefinition => ({
  description: "",
  schema: anything,
  output: { capabilities: () => OUTPUT, open: () => new FakePublisher() },
  children: (config) =>
    Object.entries(config as object).map(([key, endpoint]) => ({ path: path(key), side: "output", endpoint })),
});

const faultBelow = (key: string, path: (key: string) => ChildEndpoint["path"]) =>
  check(
    { output: { choose: { [key]: { file: { path: "a", pth: "b" } } } } },
    { endpoints: { choose: choosing(path) } },
  ).problems.map((problem) => problem.path);

it.each(["order.new", "a[0]", ".", "a..b", "[1].x", ""])("a child under the key %j has a path of steps", (key) => {
  expect(faultBelow(key, (one) => [one])).toEqual([["output", "choose", key, "file", "pth"]]);
});

it("a written path is taken apart at its dots and brackets", () => {
  expect(faultBelow("a.b[0]", (one) => one)).toEqual([["output", "choose", "a", "b", 0, "file", "pth"]]);
});
