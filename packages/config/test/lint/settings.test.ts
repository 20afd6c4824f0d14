import { describe, expect, it, vi } from "vitest";
import { routeLines } from "./linted.ts";

describe("a setting without effect", () => {
  it("is noted when it works on the other side only", () => {
    const [one, ...more] = routeLines('input: {kafka: {url: "h:1", topic: t, partition_key: a}}');
    expect(more).toEqual([]);
    expect(one).toMatch(
      /^note MQB_LINT_OTHER_SIDE .* "partition_key" of "kafka" has no effect on an input, only on an output; remove it$/,
    );
  });

  it("that the endpoint itself speaks of is remarked on once", () => {
    const lines = routeLines("input: {file: {path: a, fsync: batch}}, output: {file: {path: b, max_message_bytes: 7}}");
    expect(lines).toEqual([
      expect.stringMatching(
        /^warning MQB_FILE_UNUSED .* r\.input\.file\.fsync: .*no effect on an input, only on an output; remove it$/,
      ),
      expect.stringMatching(
        /^warning MQB_FILE_UNUSED .* r\.output\.file\.max_message_bytes: .*no effect on an output, only on an input; remove it$/,
      ),
    ]);
  });

  it("is not remarked on when it is the default, or null", () => {
    expect(routeLines("input: {file: {path: a, fsync: off, name_by: auto, idempotency: null}}")).toEqual([]);
  });

  it("is noted once for a list or map", () => {
    const options = '[["acks", "all"], ["compression.type", "lz4"]]';
    expect(routeLines(`input: {kafka: {url: "h:1", topic: t, producer_options: ${options}}}`)).toHaveLength(1);
  });

  it("is warned of when a middleware makes it useless", () => {
    vi.stubEnv("K", Buffer.alloc(32).toString("base64"));
    const sealed = 'middlewares: [{encryption: {key: "${env:K}"}}]';
    expect(routeLines(`input: {memory: {topic: a}}, output: {file: {path: b, compression: gzip}, ${sealed}}`)).toEqual([
      expect.stringMatching(/^warning MQB_LINT_DEFEATED .*file\.compression: .*ciphertext does not compress/),
    ]);
    expect(routeLines(`input: {memory: {topic: a}}, output: {file: {path: b, compression: none}, ${sealed}}`)).toEqual(
      [],
    );
  });

  it("is warned of when nothing turns it on", () => {
    const kafka = (tls: string) => routeLines(`input: {kafka: {url: "h:1", topic: t, tls: {${tls}}}}`);
    expect(kafka("ca_file: ca.pem")).toEqual([
      expect.stringMatching(/^warning MQB_LINT_TLS .*tls\.ca_file.*set tls\.required: true$/),
    ]);
    expect(kafka("ca_file: ca.pem, required: true")).toEqual([]);
    expect(routeLines('input: {mqtt: {url: "mqtts://h", tls: {ca_file: ca.pem}}}')).toEqual([]);
  });
});

describe("what needs one worker", () => {
  const buffer =
    "input: {memory: {topic: a}}, output: {memory: {topic: b}, middlewares: [{buffer: {max_messages: 5, max_delay_ms: 5}}]}";
  it("is warned of in a route with several", () => {
    expect(routeLines(`${buffer}, concurrency: 4`)).toEqual([
      expect.stringMatching(
        /^warning MQB_LINT_CONCURRENCY .*"buffer" in a route with concurrency 4: .*set concurrency: 1 where order matters$/,
      ),
    ]);
  });

  it("is left alone in a route with one", () => {
    expect(routeLines(`${buffer}, concurrency: 1`)).toEqual([]);
  });
});
