import { type Message, nack, systemClock } from "@mqb/core/plugin";
import { recordingLogger, within } from "@mqb/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { connect } from "../../src/cdc/server/connection.ts";
import { StreamConsumer } from "../../src/cdc/stream/stream-consumer.ts";
import { UserTypes } from "../../src/user-types.ts";
import { FakeServer } from "./fake-server.ts";
import { pgoutput, recorded, said } from "./feed.ts";

let server: FakeServer;
const asked: (readonly number[])[] = [];
let answer: () => void = () => {};

beforeEach(async () => {
  server = await FakeServer.listen();
  asked.length = 0;
});
afterEach(() => server.close());

async function opened(): Promise<StreamConsumer> {
  const signal = new AbortController().signal;
  const client = await connect({ url: server.url }, { path: "input", baseDir: "/", signal }, true);
  const types = new UserTypes();
  return StreamConsumer.open({
    client,
    command: "START_REPLICATION",
    slot: "s",
    publication: "p",
    target: "db",
    position: 0n,
    end: undefined,
    tickMs: 60_000,
    silentMs: 60_000,
    types,
    askTypes: async (wanted) => {
      asked.push(wanted);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      for (const type of wanted)
        if (!types.knows(type)) types.learn(type, { kind: "array", element: 23, delimiter: "," });
    },
    idHash: "fnv1a",
    stamps: false,
    splitsKeyChange: false,
    clock: systemClock,
    session: new Map(),
    saver: undefined,
    isTemporary: false,
    log: recordingLogger(),
    serverEnd: () => Promise.resolve(0n),
    release: () => Promise.resolve(),
  });
}

async function take(consumer: StreamConsumer, count: number): Promise<Message[]> {
  const messages: Message[] = [];
  while (messages.length < count) {
    const delivery = await within(consumer.receive(100, new AbortController().signal), "changes", 5000);
    messages.push(...delivery.batch);
    await delivery.commit();
  }
  return messages;
}

it("a stream is read to where it ends, its acks are confirmed, and it is closed in order", async () => {
  const consumer = await opened();
  server.send(recorded("changes"));
  const messages = await take(consumer, 13);
  const last = consumer.status().details!["confirmed_lsn"];
  expect(messages.at(-1)!.metadata.get("postgres.lsn")).toBe(last);
  expect(consumer.status().details!["unsettled"]).toBe(0);
  await consumer.close();
  const [high, low] = String(last).split("/");
  expect(server.confirmed.at(-1)).toBe((BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`));
  await expect(consumer.receive(1, new AbortController().signal)).rejects.toMatchObject({
    code: "MQB_POSTGRES_CLOSED",
  });
});

it("what is given back is handed out again with what is behind it, and the position stays before it", async () => {
  const consumer = await opened();
  const messages = [pgoutput.begin(), pgoutput.relation(1, [["id", 23, true]]), pgoutput.insert(1, ["1"])];
  for (const message of [...messages, pgoutput.insert(1, ["2"]), pgoutput.commit(100)]) server.message(message);
  const delivery = await consumer.receive(10, new AbortController().signal);
  await delivery.commit([{ type: "ack" }, nack(new Error("no"))]);
  expect(consumer.status().details!["confirmed_lsn"]).toBe("0/0");
  expect((await take(consumer, 1)).map(said)).toEqual(['insert [2] {"id":2}']);
  expect(consumer.status().details!["confirmed_lsn"]).toBe("0/64");
  await consumer.close();
});

it("a table with types that are not known waits until the catalog has answered, and everything behind it", async () => {
  const consumer = await opened();
  const table = pgoutput.relation(1, [
    ["id", 23, true],
    ["v", 20_000, false],
  ]);
  for (const message of [pgoutput.begin(), table, pgoutput.insert(1, ["1", "{1,2}"]), pgoutput.commit(100)])
    server.message(message);
  const waiting = take(consumer, 1);
  await within(
    new Promise<void>((resolve) => {
      const look = (): void => (asked.length > 0 ? resolve() : void setImmediate(look));
      look();
    }),
    "the question",
    5000,
  );
  expect(asked).toEqual([[23, 20_000]]);
  expect(consumer.status().details!["unsettled"]).toBe(0);
  answer();
  expect((await waiting).map(said)).toEqual(['insert [1] {"id":1,"v":[1,2]}']);
  await consumer.close();
});

it("a server that goes away fails the stream, and what waits for it", async () => {
  const consumer = await opened();
  const waiting = consumer.receive(1, new AbortController().signal);
  await server.close();
  await expect(waiting).rejects.toMatchObject({ kind: "connection" });
  await consumer.close();
});
