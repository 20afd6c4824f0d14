import { createHash } from "node:crypto";
import { Message, systemClock } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import type { KafkaClient } from "../src/client/client.ts";
import { Replier } from "../src/consumer/replies.ts";

const LIMIT = 300_000;

/** A broker that takes record batches up to `LIMIT` bytes. */
function brokerOf(code = 0) {
  const stored: number[] = [];
  const refused: number[] = [];
  const broker = {
    target: "t:1",
    knows: () => true,
    ready: () => undefined,
    request: async () => ({ errorCode: 0, producerId: "1", producerEpoch: 0 }),
    raw: async ({ body }: { readonly body: readonly Buffer[] }) => {
      // The parts of a request: its head, that of the topic, the place, the head of the batch, its records.
      const size = body[4]!.length;
      const isFine = size <= LIMIT;
      if (isFine) stored.push(body[3]!.readInt32BE(57));
      else refused.push(size);
      const answer = Buffer.alloc(4 + 2 + 6 + 4 + 30 + 4);
      answer.writeInt32BE(1, 0);
      answer.writeInt16BE(6, 4);
      answer.write("an-swr", 6);
      answer.writeInt32BE(1, 12);
      answer.writeInt16BE(isFine ? code : 10, 20);
      return answer;
    },
  };
  const client = {
    clock: systemClock,
    topics: async (names: readonly string[]) => new Map(names.map((name) => [name, { error: 0, leaders: [1] }])),
    broker: async () => broker,
    anyBroker: async () => broker,
  } as unknown as KafkaClient;
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, warn: (text: string) => warnings.push(text), error() {} };
  return { stored, refused, warnings, replier: new Replier(client, log as never, "r") };
}

const answers = (count: number, to: string, size: number) =>
  Array.from({ length: count }, (_, n) => ({
    request: new Map([
      ["reply_to", to],
      ["correlation_id", `${n}`],
    ]),
    // Cannot be compressed.
    message: new Message(createHash("shake256", { outputLength: size }).update(`${n}`).digest()),
  }));

describe("answers to the requests of a delivery", () => {
  it("go in record batches that the broker takes, however many there are", async () => {
    const { replier, stored, refused, warnings } = brokerOf();
    await replier.send(answers(100, "an-swr", 30_000));
    expect(stored.reduce((sum, count) => sum + count, 0)).toBe(100);
    expect(Math.max(...refused)).toBeLessThanOrEqual(1_000_000);
    expect(warnings).toEqual([]);
  });

  it("are left out, each by itself and with a warning, where one is larger than the topic takes", async () => {
    const { replier, stored, warnings } = brokerOf();
    await replier.send([...answers(1, "an-swr", 400_000), ...answers(3, "an-swr", 10)]);
    expect(stored.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(warnings).toEqual([expect.stringMatching(/^1 answer\(s\) to "an-swr" .*MESSAGE_TOO_LARGE/)]);
  });

  it.each(["r".repeat(40_000), "a/b", ".."])("are left out where no topic can have the name", async (name) => {
    const { replier, stored, warnings } = brokerOf();
    await replier.send(answers(2, name, 10));
    expect(stored).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("2 answer(s)")]);
    expect(warnings[0]!.length).toBeLessThan(250);
  });

  it("are left out where the broker never takes them", async () => {
    const { replier, warnings } = brokerOf(17);
    await replier.send(answers(2, "an-swr", 10));
    expect(warnings).toEqual([expect.stringContaining("INVALID_TOPIC")]);
  });
});
