import { describe, expect, it } from "vitest";
import { routeLines } from "./linted.ts";

describe("a message template where none is filled in", () => {
  it("is warned of", () => {
    expect(routeLines('input: {mqtt: {url: "mqtt://localhost", client_id: "${metadata:c}"}}')).toEqual([
      expect.stringMatching(
        /^warning MQB_LINT_TEMPLATE .*client_id: "client_id" of "mqtt" holds \$\{metadata:c\}, but no template is filled in here, so it is used as written; write a fixed text$/,
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

describe("what no other rule takes care of", () => {
  const places: readonly (readonly [path: string, sides: (token: string) => string])[] = [
    ["r.output.file.path", (token) => `input: {static: x}, output: {file: {path: "out-${token}.jsonl"}}`],
    [
      "r.output.middlewares[0].dlq.endpoint.file.path",
      (token) =>
        `input: {static: x}, output: {file: {path: a}, middlewares: [{dlq: {endpoint: {file: {path: "${token}"}}}}]}`,
    ],
    ["r.output.sqlx.table", (token) => `input: {static: x}, output: {sqlx: {url: "sqlite:x.db", table: "t_${token}"}}`],
    [
      "r.input.sqlx.checkpoint_store",
      (token) =>
        `input: {sqlx: {url: "sqlite:x.db", table: t, cursor_column: id, cursor_id: c, checkpoint_store: "file:${token}.json"}}`,
    ],
    ["r.input.mqtt.client_id", (token) => `input: {mqtt: {url: "mqtt://localhost", topic: t, client_id: "${token}"}}`],
    ["r.input.static.metadata.x-id", (token) => `input: {static: {body: x, metadata: {x-id: "${token}"}}}`],
  ];

  it.each(
    places.flatMap(([path, sides]) =>
      ["${now:date}", "${payload:id}", "${env:X}"].map((token) => [token, path, sides(token)] as const),
    ),
  )("%s left over in %s is told, with its place", (token, path, sides) => {
    const told = routeLines(sides).filter((line) => line.includes(` ${path}: `) && line.includes(token));
    expect(told).toHaveLength(1);
  });
});
