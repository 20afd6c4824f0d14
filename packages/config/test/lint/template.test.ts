import { describe, expect, it } from "vitest";
import { routeLines } from "./linted.ts";

describe("a message template where none is filled in", () => {
  it("is warned of", () => {
    expect(routeLines('input: {mqtt: {url: "mqtt://localhost", client_id: "${metadata:c}"}}')).toEqual([
      expect.stringMatching(
        /^warning MQB_LINT_TEMPLATE .*client_id: "client_id" of "mqtt" holds \$\{metadata:c\}, but no template is filled in here$/,
      ),
    ]);
  });

  it("gets the other spelling of a variable as a hint", () => {
    expect(routeLines('input: {mqtt: {url: "mqtt://localhost", client_id: "${env:ME}"}}')).toEqual([
      expect.stringMatching(/; write \$\{ME\} for the variable$/),
    ]);
  });

  it.each([
    'input: {static: "${gen:uuid}"}',
    'input: {static: {body: "${gen:uuid}"}}',
    'input: {memory: {topic: a}, middlewares: [{id: "${payload:n}"}]}',
    'input: {memory: {topic: a}, middlewares: [{lookup: {from: {http: {url: "https://h"}}, metadata: {k: "${payload:n}"}, into: x}}]}',
    'input: {mqtt: {url: "mqtt://localhost", client_id: "$${metadata:c} ${other:x}"}}',
    'input: {pulsar: {topic: "${payload:n}"}}',
  ])("is none: %s", (sides) => {
    expect(routeLines(sides)).toEqual([]);
  });

  it("is found in the metadata of a static endpoint, where only the body is one", () => {
    expect(routeLines('input: {static: {body: x, metadata: {k: "${gen:uuid}"}}}')).toEqual([
      expect.stringMatching(/^warning MQB_LINT_TEMPLATE .*static\.metadata\.k: /),
    ]);
  });
});
