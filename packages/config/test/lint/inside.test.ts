import { describe, expect, it } from "vitest";
import { routeLines } from "./linted.ts";

const join = (more = "") => `middlewares: [{weak_join: {group_by: g, expected_count: 2, timeout_ms: 5000${more}}}]`;
const FILE = "file: {path: f}";
const lines = (input: string) => routeLines(`input: {${input}}, output: {memory: {topic: b}}`);

describe("a middleware around several inputs that is made for each of them", () => {
  it("is remarked on, with where to write it", () => {
    expect(lines(`sequence: {endpoints: [{${FILE}}, {memory: {topic: a}}]}, ${join()}`)).toEqual([
      expect.stringMatching(
        /^warning MQB_LINT_ORDER .*input\.middlewares\[0\]\.weak_join: "weak_join" stands around "sequence": .*timeout_ms.*; write it into the middlewares of each input inside$/,
      ),
    ]);
  });

  it.each([
    ["inside", `sequence: {endpoints: [{${FILE}, ${join()}}, {memory: {topic: a}}]}`],
    ["around another endpoint", `${FILE}, ${join()}`],
  ])("is left alone %s", (_, input) => {
    expect(lines(input)).toEqual([]);
  });

  it("is left alone where it holds nothing back", () => {
    const found = lines(`sequence: {endpoints: [{${FILE}}, {memory: {topic: a}}]}, ${join(", ack: on_receive")}`);
    expect(found.filter((line) => line.includes("MQB_LINT_ORDER"))).toEqual([]);
  });
});
