import { batchOf, Message, systemClock } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import type { KafkaClient } from "../src/client/client.ts";
import { kafkaErrors } from "../src/errors.ts";
import { producerOptions } from "../src/options/producer.ts";
import { encodeBatch } from "../src/publisher/encode.ts";
import { Producer, type Written } from "../src/publisher/producer.ts";
import { partitionerOf } from "../src/wire/partitioner.ts";

/** What a broker says of one partition of the topic "t". */
function answer(code: number, partition = 0): Buffer {
  const bytes = Buffer.alloc(4 + 3 + 4 + 30 + 4);
  bytes.writeInt32BE(1, 0);
  bytes.writeInt16BE(1, 4);
  bytes.write("t", 6);
  bytes.writeInt32BE(1, 7);
  bytes.writeInt32BE(partition, 11);
  bytes.writeInt16BE(code, 15);
  return bytes;
}

function textsIn(body: Buffer): string[] {
  return Array.from(body.toString("latin1").matchAll(/<(\w+)>/g), ([, text]) => text!);
}

type Fate = "stored" | "stored, answer lost" | "lost" | number;

/**
 * A broker with one partition that knows what it has, as real ones do; `fates` = what becomes of requests, in their order. So
 * many connections are refused when the first one is lost.
 */
function brokerWith(fates: Fate[], more: readonly [string, string][] = [], refusals = 0) {
  const stored: string[] = [];
  const seen: string[] = [];
  const producers = new Map<bigint, number>();
  let identities = 0;
  let connections = 0;
  let left = refusals;
  let tell: () => void = () => {};
  const lostOnce = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const store = (head: Buffer, body: Buffer): number => {
    const [id, sequence, count] = [head.readBigInt64BE(43), head.readInt32BE(53), head.readInt32BE(57)];
    const next = producers.get(id);
    seen.push(`${id}/${sequence}`);
    if (next !== undefined && sequence < next) return 0;
    if (next !== undefined && sequence > next) return 45;
    producers.set(id, sequence + count);
    // One letter each, behind the lengths and the timestamp.
    stored.push(...textsIn(body));
    return 0;
  };
  const connect = () => {
    let isLost = false;
    const waiting: (() => void)[] = [];
    connections += 1;
    const lost = () => kafkaErrors.LOST({ target: "t:1", reason: "cut" });
    return {
      target: "t:1",
      get isLost() {
        return isLost;
      },
      knows: () => true,
      ready: () => undefined,
      request: async () => ({ errorCode: 0, producerId: `${++identities}`, producerEpoch: 0 }),
      raw: ({ body }: { readonly body: readonly Buffer[] }) =>
        new Promise<Buffer>((resolve, reject) => {
          if (isLost) return reject(lost());
          const fate = fates.shift() ?? "stored";
          if (typeof fate === "number") return resolve(answer(fate));
          if (fate !== "lost") {
            const code = store(body[3]!, body[4]!);
            if (fate === "stored") return resolve(answer(code));
          }
          // All that waits on the connection is lost with it, when everybody has written.
          waiting.push(() => reject(lost()));
          if (waiting.length === 1)
            setImmediate(() => {
              isLost = true;
              for (const one of waiting) one();
              tell();
            });
        }),
    };
  };
  let connection = connect();
  const client = {
    clock: systemClock,
    topics: async () => new Map([["t", { error: 0, leaders: [1] }]]),
    broker: async () => {
      if (connection.isLost && left-- > 0) throw kafkaErrors.UNREACHABLE({ target: "t:1", reason: "refused" });
      return connection.isLost ? (connection = connect()) : connection;
    },
    anyBroker: async () => connection,
  } as unknown as KafkaClient;
  const { options } = producerOptions([["retry.backoff.ms", "1"], ...more]);
  const producer = new Producer(client, options);
  producer.learn("t", { error: 0, leaders: [1] });
  const write = async (...texts: readonly string[]): Promise<Written[]> => {
    const batch = batchOf(texts.map((text) => new Message(`<${text}>`)));
    const chunks = encodeBatch(batch, {
      partitions: 1,
      partitioner: partitionerOf("random"),
      keyField: undefined,
      maxRecords: 1,
      maxBytes: 1e6,
    });
    const all: Written[] = [];
    await producer.write("t", chunks, (_, one) => all.push(one));
    return all;
  };
  return { producer, write, stored, seen, lostOnce, connections: () => connections };
}

/** Leader 1 loses its first request when it is cut; leader 2 stores and does not answer until it is told to. */
function twoLeaders() {
  const stored: string[] = [];
  let answerSlow: () => void = () => {};
  const slow = new Promise<void>((resolve) => {
    answerSlow = resolve;
  });
  let cut: () => void = () => {};
  const first = new Promise<Buffer>((_, reject) => {
    cut = () => reject(kafkaErrors.LOST({ target: "t:1", reason: "cut" }));
  });
  let requests = 0;
  const brokerOf = (leader: number) => ({
    target: `t:${leader}`,
    knows: () => true,
    ready: () => undefined,
    request: async () => ({ errorCode: 0, producerId: "1", producerEpoch: 0 }),
    raw: async ({ body }: { readonly body: readonly Buffer[] }) => {
      if (leader === 1 && ++requests === 1) return first;
      stored.push(...textsIn(body[4]!));
      if (leader === 2) await slow;
      return answer(0, leader - 1);
    },
  });
  const info = { error: 0, leaders: [1, 2] };
  const client = {
    clock: systemClock,
    topics: async () => new Map([["t", info]]),
    broker: async (leader: number) => brokerOf(leader),
    anyBroker: async () => brokerOf(1),
  } as unknown as KafkaClient;
  const producer = new Producer(client, producerOptions([["retry.backoff.ms", "1"]]).options);
  producer.learn("t", info);
  const write = async (...records: readonly [number, string][]): Promise<Written[]> => {
    const chunks = records.map(([partition, text], at) => ({
      partition,
      body: Buffer.from(`<${text}>`),
      codec: 0,
      positions: [at],
    }));
    const all: Written[] = [];
    await producer.write("t", chunks, (_, one) => all.push(one));
    return all;
  };
  return { write, stored, cut: () => cut(), answerSlow: () => answerSlow() };
}

const STORED = { type: "stored" };

describe("an idempotent producer that gets no answer", () => {
  it("writes the same again under the same numbers, over another connection: it is stored once", async () => {
    const { write, stored, seen, connections } = brokerWith(["stored", "stored, answer lost"]);
    expect(await write("a")).toEqual([STORED]);
    expect(await write("b")).toEqual([STORED]);
    expect(await write("c")).toEqual([STORED]);
    expect(stored).toEqual(["a", "b", "c"]);
    expect(seen).toEqual(["1/0", "1/1", "1/1", "1/2"]);
    expect(connections()).toBe(2);
  });

  it("repeats all that was on its way in its order, and lets nothing new go before it", async () => {
    const fates: Fate[] = ["stored, answer lost", "stored, answer lost", "lost", "lost"];
    const { write, stored, seen, lostOnce } = brokerWith(fates, [["retry.backoff.ms", "50"]]);
    const first = [write("a", "b"), write("c"), write("d")];
    await lostOnce;
    // Everybody has heard of it then.
    await new Promise((resolve) => setImmediate(resolve));
    const late = write("e");
    expect((await Promise.all([...first, late])).flat()).toEqual([STORED, STORED, STORED, STORED, STORED]);
    expect(stored).toEqual(["a", "b", "c", "d", "e"]);
    expect(seen.slice(2)).toEqual(["1/0", "1/1", "1/2", "1/3", "1/4"]);
  });

  it("lets nothing new fail before it while its broker is away", async () => {
    const { write, stored, seen, lostOnce } = brokerWith(["lost"], [["retry.backoff.ms", "50"]], 3);
    const first = write("a");
    await lostOnce;
    await new Promise((resolve) => setImmediate(resolve));
    expect((await Promise.all([first, write("b")])).flat()).toEqual([STORED, STORED]);
    expect(stored).toEqual(["a", "b"]);
    expect(seen).toEqual(["1/0", "1/1"]);
  });

  it("holds back what is new as soon as one leader is lost, although another one has not answered yet", async () => {
    const { write, stored, cut, answerSlow } = twoLeaders();
    const first = write([0, "a"], [1, "x"]);
    await new Promise((resolve) => setImmediate(resolve));
    cut();
    await new Promise((resolve) => setImmediate(resolve));
    const late = write([0, "c"]);
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(stored).toEqual(["x"]);
    answerSlow();
    expect((await Promise.all([first, late])).flat()).toEqual([STORED, STORED, STORED]);
    expect(stored).toEqual(["x", "a", "c"]);
  });

  it("keeps the numbers where the broker cannot say that its replicas have it", async () => {
    const { write, seen } = brokerWith([20, 7, 19]);
    expect(await write("a")).toEqual([STORED]);
    expect(seen).toEqual(["1/0"]);
  });

  it("takes other numbers for what comes behind a refused one", async () => {
    const { write, stored, seen } = brokerWith(["stored", 10]);
    expect(await write("a")).toEqual([STORED]);
    expect(await write("b")).toEqual([{ type: "refused", code: 10 }]);
    expect(await write("c")).toEqual([STORED]);
    expect(stored).toEqual(["a", "c"]);
    expect(seen).toEqual(["1/0", "2/0"]);
  });

  it("gives up when nobody answers for as long as it may take, says so meanwhile, and begins under a new identity", async () => {
    const { producer, write, seen, lostOnce } = brokerWith(new Array<Fate>(1000).fill("lost"), [
      ["delivery.timeout.ms", "30"],
    ]);
    const sent = write("a");
    await lostOnce;
    await new Promise((resolve) => setImmediate(resolve));
    expect(producer.trouble).toMatch(/was lost/);
    expect(await sent).toEqual([{ type: "failed", error: expect.objectContaining({ code: "MQB_KAFKA_LOST" }) }]);
    expect(producer.trouble).toBeUndefined();
    expect(seen).toEqual([]);
  });

  it("repeats nothing when it is closed", async () => {
    const { producer, write } = brokerWith(["lost"]);
    const sent = write("a");
    producer.client.close = () => {};
    producer.close();
    expect(await sent).toEqual([{ type: "failed", error: expect.objectContaining({ kind: "connection" }) }]);
  });
});

it("a producer without idempotence leaves it to its route what becomes of a lost answer", async () => {
  const { write } = brokerWith(["stored, answer lost"], [["enable.idempotence", "false"]]);
  expect(await write("a")).toEqual([{ type: "failed", error: expect.objectContaining({ code: "MQB_KAFKA_LOST" }) }]);
});
