import { describe, expect, it, vi } from "vitest";
import { routeLines } from "./linted.ts";

// The plugin reads it when it checks the key.
vi.stubEnv("K", Buffer.alloc(32).toString("base64"));
const KEY = 'encryption: {key: "${env:K}"}';
const COUNTS = 'aggregate: {consistency: single_writer, key: "${payload:k}", into: s, fields: {n: count}}';
const output = (list: string) =>
  routeLines(`input: {memory: {topic: a}}, output: {memory: {topic: b}, middlewares: [${list}]}`);
const input = (list: string) =>
  routeLines(`input: {memory: {topic: a}, middlewares: [${list}]}, output: {memory: {topic: b}}`);

describe("the order of middlewares", () => {
  it.each([
    ["retry outside of the dead letters", output("{dlq: {endpoint: {file: {path: f}}}}, retry"), "warning", "dlq"],
    [
      "dead letters inside of what fails",
      output("{dlq: {endpoint: {file: {path: f}}}}, {transform: {}}"),
      "warning",
      "dlq",
    ],
    ["one time limit for all attempts", output("retry, {timeout: {timeout_ms: 5}}"), "warning", "timeout"],
    ["pack before buffer", output("{buffer: {max_messages: 5, max_delay_ms: 5}}, pack"), "warning", "buffer"],
    ["compression before pack", output("pack, {compression: {algorithm: zstd}}"), "note", "compression"],
    ["encryption before compression", output(`{compression: {algorithm: zstd}}, {${KEY}}`), "note", "encryption"],
    [
      "duplicates that are counted",
      input(
        '{deduplication: {store: "memory:", ttl_seconds: 5}}, {aggregate: {consistency: single_writer, key: "${payload:k}", into: s, fields: {n: count}}}',
      ),
      "warning",
      "deduplication",
    ],
    ["JSON that is packed already", output("{transform: {}}, pack"), "warning", "transform"],
    ["JSON that is encrypted already", output(`{${COUNTS}}, {${KEY}}`), "warning", "aggregate"],
    ["JSON that is still packed", input("unpack, {transform: {}}"), "warning", "transform"],
    ["JSON that is still compressed", input(`{compression: {}}, {${COUNTS}}`), "warning", "aggregate"],
    ["a filter of what is encrypted", input(`{${KEY}}, {filter: "a > 1"}`), "note", "filter"],
    ["a long filter of what is packed", output('{filter: {expression: "a > 1"}}, pack'), "note", "filter"],
    [
      "a lookup for what is compressed",
      output("{lookup: {from: {static: x}, into: y}}, {compression: {}}"),
      "note",
      "lookup",
    ],
    ["attempts that count again", output(`{${COUNTS}}, retry`), "warning", "aggregate"],
  ])("is remarked on: %s", (_, lines, level, name) => {
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^${level} MQB_(?:LINT_ORDER|STANDARD_DLQ_BEFORE_RETRY) .*${name}`)),
    ]);
  });

  it.each([
    ["dead letters last", output("{transform: {}}, retry, {dlq: {endpoint: {file: {path: f}}}}")],
    ["a time limit for each attempt", output("{timeout: {timeout_ms: 5}}, retry")],
    ["compression before encryption", output(`{${KEY}}, {compression: {algorithm: zstd}}`)],
    ["decryption before decompression", input(`{compression: {algorithm: zstd}}, {${KEY}}`)],
    ["pack before compression", output("{compression: {algorithm: zstd}}, pack")],
    ["a count that all attempts send", output(`retry, {${COUNTS}}`)],
    [
      "JSON before it is packed, compressed and encrypted",
      output(`{${KEY}}, {compression: {}}, pack, {filter: "a > 1"}, {transform: {}}`),
    ],
    [
      "JSON that is decrypted, decompressed and unpacked",
      input(`{transform: {}}, {filter: "a > 1"}, unpack, {compression: {}}, {${KEY}}`),
    ],
    ["buffer before pack", output("pack, {buffer: {max_messages: 5, max_delay_ms: 5}}")],
  ])("is left alone: %s", (_, lines) => {
    expect(lines).toEqual([]);
  });

  it.each([
    [
      "a buffer",
      "{buffer: {max_messages: 5, max_delay_ms: 50}}, {timeout: {timeout_ms: 50}}",
      '"buffer" (max_delay_ms: 50)',
    ],
    [
      "all that waits together",
      "{delay: {delay_ms: 20}}, {buffer: {max_messages: 5, max_delay_ms: 40}}, {timeout: {timeout_ms: 50}}",
      '"delay" (delay_ms: 20) and "buffer" (max_delay_ms: 40)',
    ],
  ])("is remarked on where a time limit is used up by %s", (_, list, inside) => {
    expect(output(list)).toEqual([expect.stringMatching(/^warning MQB_LINT_TIMEOUT .*timeout_ms/)]);
    expect(output(list)[0]).toContain(inside);
  });

  it.each([
    ["a longer limit", "{buffer: {max_messages: 5, max_delay_ms: 49}}, {timeout: {timeout_ms: 50}}"],
    ["a limit of what the buffer sends", "{timeout: {timeout_ms: 50}}, {buffer: {max_messages: 5, max_delay_ms: 500}}"],
    ["a buffer that adds no wait", "{buffer: {max_messages: 5, max_delay_ms: 0}}, {timeout: {timeout_ms: 1}}"],
  ])("is left alone with a time limit: %s", (_, list) => {
    expect(output(list)).toEqual([]);
  });

  it("says where to write it, in a nested list too", () => {
    const nested = "{memory: {topic: c}, middlewares: [retry, {timeout: {timeout_ms: 5}}]}";
    expect(output(`{dlq: {endpoint: ${nested}}}`)).toEqual([
      expect.stringMatching(
        /dlq\.endpoint\.middlewares\[1\]\.timeout: "timeout" handles messages before "retry": all attempts together get the time of one; a list is read from the bottom up: write "timeout" above "retry"$/,
      ),
    ]);
  });
});
