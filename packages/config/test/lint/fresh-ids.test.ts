import { expect, it } from "vitest";
import { routeLines } from "./linted.ts";

const dedup = (key: string) => `{deduplication: {store: "memory:", ttl_seconds: 5${key}}}`;
const lines = (endpoint: string, key = "") => routeLines(`input: {${endpoint}, middlewares: [${dedup(key)}]}`);

it("warns of a deduplication by ids that the source makes anew at each reading", () => {
  expect(lines("file: {path: in.csv, format: csv}")).toEqual([
    expect.stringMatching(
      /^warning MQB_LINT_FRESH_IDS .*"deduplication" goes by the message_id, which "file" makes anew/,
    ),
  ]);
});

it("is content with a key, and with ids that stay the same", () => {
  expect(lines("file: {path: in.csv, format: csv}", ', key: "${payload:id}"')).toEqual([]);
  expect(lines("file: {path: in.jsonl}")).toEqual([]);
  expect(lines("memory: {topic: a}")).toEqual([]);
});
