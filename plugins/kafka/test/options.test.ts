import { describe, expect, it } from "vitest";
import { consumerOptions } from "../src/options/consumer.ts";
import { producerOptions } from "../src/options/producer.ts";
import { rdkafkaProblems } from "../src/options/rdkafka.ts";

const said = (problems: readonly { readonly level: string; readonly message: string }[]): string[] =>
  problems.map(({ level, message }) => `${level}: ${message}`);

describe("options in the names of librdkafka", () => {
  it("have its defaults where nothing is said", () => {
    const { options, problems } = producerOptions(undefined);
    expect(problems).toEqual([]);
    expect(options).toMatchObject({ acks: -1, idempotent: true, compression: "lz4", partitioner: "consistent_random" });
    expect(consumerOptions(null).options).toMatchObject({
      readsCommitted: true,
      sessionTimeoutMs: 45_000,
      minBytes: 1,
    });
  });

  it("wait without limit where the limit is 0, as librdkafka does", () => {
    expect(producerOptions([["delivery.timeout.ms", "0"]]).options.deliveryTimeoutMs).toBe(Number.POSITIVE_INFINITY);
  });

  it("set what they name, the last one of a name counts", () => {
    const { options, problems } = producerOptions([
      ["compression.type", "zstd"],
      ["compression.codec", "gzip"],
      ["batch.num.messages", "7"],
      ["partitioner", "murmur2_random"],
      ["client.id", "me"],
    ]);
    expect(problems).toEqual([]);
    expect(options).toMatchObject({
      compression: "gzip",
      maxBatchRecords: 7,
      partitioner: "murmur2_random",
      clientId: "me",
    });
    expect(
      consumerOptions([
        ["auto.offset.reset", "latest"],
        ["isolation.level", "read_uncommitted"],
      ]).options,
    ).toMatchObject({
      reset: "latest",
      readsCommitted: false,
    });
  });

  it("switch idempotence off with weaker acks, unless both are said", () => {
    expect(producerOptions([["acks", "1"]]).options.idempotent).toBe(false);
    const { problems } = producerOptions([
      ["enable.idempotence", "true"],
      ["acks", "0"],
    ]);
    expect(said(problems)).toEqual(['error: "enable.idempotence" needs "acks" to be all']);
  });

  it.each([
    ["group.id", "g", /use the field `group_id`/],
    ["sasl.password", "x", /use the field `password`/],
    ["enable.auto.commit", "true", /always false/],
    ["group.instance.id", "1", /not static/],
    ["partition.assignment.strategy", "cooperative-sticky", /range, roundrobin are known/],
    ["sasl.mechanism", "GSSAPI", /plain, scram-sha-256, scram-sha-512/],
    ["fetch.min.bytes", "many", /a number from 1/],
    ["no.such.option", "1", /not an option/],
    ["__proto__", "1", /not an option/],
    ["reconnect.backoff.ms", "1", /reconnect_interval_ms/],
  ])("refuse %s = %s by name", (name, value, reason) => {
    const { problems } = consumerOptions([[name, value]]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ index: 0, level: "error" });
    expect(problems[0]!.message).toContain(`"${name}"`);
    expect(problems[0]!.message).toMatch(reason);
  });

  it("note what changes nothing", () => {
    expect(said(producerOptions([["linger.ms", "50"]]).problems)).toEqual([
      'note: "linger.ms" changes nothing: a batch of the route is sent at once; `batch_size` says how large it may be',
    ]);
  });

  it("want heartbeats within the session", () => {
    const { problems } = consumerOptions([["session.timeout.ms", "2000"]]);
    expect(said(problems)).toEqual([
      'error: "heartbeat.interval.ms" (3000) must be less than "session.timeout.ms" (2000)',
    ]);
  });
});

it("with librdkafka, every message waits for its report", () => {
  expect(said(rdkafkaProblems([["delivery.report.only.error", "true"]]))).toEqual([
    'error: "delivery.report.only.error" cannot be "true": it is always false: every message waits for its report',
  ]);
  expect(rdkafkaProblems([["delivery.report.only.error", "false"]])).toEqual([]);
});
