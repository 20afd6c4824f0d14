import { batchOf, Message, type MessageBatch, type MqbError, systemClock } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { kafkaErrors } from "../src/errors.ts";
import { producerOptions } from "../src/options/producer.ts";
import type { Outcomes } from "../src/publisher/outcomes.ts";
import { Producer, type Transaction } from "../src/publisher/producer.ts";
import type { KafkaPublisher } from "../src/publisher/publisher.ts";
import type { RecordBatches } from "../src/publisher/record-batches.ts";
import { TransactionalPublisher } from "../src/publisher/transactional.ts";

const forever = () => new AbortController().signal;
const BATCH = batchOf([new Message("a"), new Message("b")]);

/** A transactional output whose records meet with `failure`, or that nobody answers; `calls` are the requests to its coordinator. */
function outputOn(failure: MqbError | "never", codes: Record<string, number> = {}) {
  const calls: string[] = [];
  let announced: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    announced = resolve;
  });
  const coordinator = {
    request: async (name: string, { transactionResult }: { readonly transactionResult?: boolean }) => {
      calls.push(transactionResult === undefined ? name : `${name} ${transactionResult}`);
      return { errorCode: codes[name] ?? 0, producerId: "1", producerEpoch: 0 };
    },
  };
  const client = { clock: systemClock, clusterId: "c", coordinator: async () => coordinator };
  let closed: () => void = () => {};
  const closing = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const inner = {
    producer: { client, options: producerOptions(null).options },
    status: () => ({ healthy: true }),
    close: async () => closed(),
    write: async (batch: MessageBatch, outcomes: Outcomes, { announce }: Transaction) => {
      await announce("t", [0]);
      announced();
      if (failure === "never") await closing;
      else if (batch.at(0).text() === "a") outcomes.set([0], failure);
      outcomes.set(
        Array.from(batch, (_, i) => i),
        undefined,
      );
    },
  } as unknown as KafkaPublisher & RecordBatches;
  const source = {
    groupId: "g",
    memberId: "m",
    generation: 1,
    clusterId: "c",
    positionsOf: () => ({ offsets: [], taken() {} }),
    settledPositions: () => ({ offsets: [], taken() {} }),
  };
  return { calls, begun, output: new TransactionalPublisher(inner, inner, "id", { source, sink: undefined }) };
}

describe("a transaction that comes to nothing", () => {
  it("is given up at once, so that it holds up nobody", async () => {
    const { output, calls } = outputOn(kafkaErrors.NOT_STORED({ topic: "t", partition: 0, reason: "r" }));
    const outcomes = await output.send(BATCH, forever());
    expect(outcomes!.map((one) => one.type === "failed" && (one.error as MqbError).code)).toEqual([
      "MQB_KAFKA_NOT_STORED",
      "MQB_KAFKA_TRANSACTION",
    ]);
    expect(calls).toEqual(["InitProducerId", "AddPartitionsToTxn", "EndTxn false"]);
    await output.send(BATCH, forever());
    expect(calls.slice(3)).toEqual(["InitProducerId", "AddPartitionsToTxn", "EndTxn false"]);
  });

  it("is followed by one without the message that the broker refuses for good", async () => {
    const { output, calls } = outputOn(kafkaErrors.TOO_LARGE({ topic: "t", bytes: 1 }));
    const outcomes = await output.send(BATCH, forever());
    expect(outcomes!.map((one) => (one.type === "failed" ? (one.error as MqbError).code : one.type))).toEqual([
      "MQB_KAFKA_TOO_LARGE",
      "accepted",
    ]);
    expect(calls.slice(2)).toEqual(["EndTxn false", "InitProducerId", "AddPartitionsToTxn", "EndTxn true"]);
  });

  it("is left to the next epoch where something of it may be on its way still", async () => {
    const { output, calls } = outputOn(kafkaErrors.LOST({ target: "t:1", reason: "r" }));
    await output.send(BATCH, forever());
    expect(calls).toEqual(["InitProducerId", "AddPartitionsToTxn"]);
  });

  it("ends with the output, which does not wait for long", async () => {
    const { output, begun } = outputOn("never");
    const sent = output.send(BATCH, forever());
    await begun;
    await output.close();
    await sent.catch(() => {});
  });

  it("is a matter of the configuration where the broker never takes it", async () => {
    const { output } = outputOn("never", { InitProducerId: 50 });
    await expect(output.begin()).rejects.toMatchObject({ code: "MQB_KAFKA_TRANSACTION_REFUSED", kind: "config" });
  });
});

it("tells that another producer has taken over when a broker refuses the epoch of a transaction", async () => {
  const answer = Buffer.alloc(46);
  answer.writeInt32BE(1, 0);
  answer.writeInt16BE(1, 4);
  answer.write("t", 6);
  answer.writeInt32BE(1, 7);
  answer.writeInt16BE(47, 15);
  const broker = { knows: () => true, ready: () => undefined, raw: async () => answer };
  const client = { clock: systemClock, broker: async () => broker };
  const producer = new Producer(client as never, producerOptions(null).options);
  producer.learn("t", { error: 0, leaders: [1] });
  const identity = { producer: { id: 1n, epoch: 0 }, take: () => 0 };
  const chunk = { partition: 0, body: Buffer.from("x"), codec: 0, positions: [0] };
  const written: unknown[] = [];
  const transaction = { id: "id", identity, announce: async () => {} } as unknown as Transaction;
  await producer.write("t", [chunk], (_, one) => written.push(one), transaction);
  expect(written).toEqual([{ type: "failed", error: expect.objectContaining({ code: "MQB_KAFKA_FENCED" }) }]);
});
