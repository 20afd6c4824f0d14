import { type Consumer, codeOf } from "@mqb/core/plugin";
import { describe, expect, it, vi } from "vitest";
import type { KafkaOptions } from "../src/index.ts";
import { createTopic, produce } from "./admin.ts";
import { LOGINS, login, plainLogin } from "./logins.ts";
import { openInput, openOutput, sendAll, takeAll } from "./open.ts";
import { rdkafkaFolder } from "./rdkafka-library.ts";
import { freshName, KAFKA_URL, SASL_URL, withKafka } from "./server.ts";

vi.mock("../src/rdkafka/driver.ts", async (original) => {
  const { loadFromCache } = await import("./rdkafka-library.ts");
  return { ...(await original<object>()), loadRdkafka: loadFromCache };
});

const LONG = { timeout: 60_000 };
const engine = "rdkafka" as const;
const QUICK: [string, string][] = [["fetch.wait.max.ms", "50"]];
const PARTITIONS = 4;

/** Reads and commits until `enough` or nothing comes for a while. */
async function readUntil(consumer: Consumer, into: string[], enough: () => boolean): Promise<void> {
  while (!enough()) {
    const delivery = await consumer.receive(10, AbortSignal.timeout(1000));
    for (const message of delivery.batch) into.push(message.text());
    await delivery.commit();
  }
}

const values = (count: number, stem: string) =>
  Array.from({ length: count }, (_, n) => ({ value: `${stem}${n}`, partition: n % PARTITIONS }));

await withKafka(() => {
  const isThere = rdkafkaFolder() !== undefined;
  describe.skipIf(!isThere)(isThere ? "engine: rdkafka" : "engine: rdkafka (not installed)", () => {
    it.each(Object.entries(LOGINS))("connects, writes and reads with %s", LONG, async (_, options) => {
      const topic = freshName();
      await createTopic(topic);
      const { producer_options: security = [] } = options;
      await sendAll({ ...options, topic, engine }, ["one"]);
      const consumer = {
        ...options,
        engine,
        consumer_options: [...QUICK, ...security!],
        topic,
        group_id: topic,
      };
      expect((await takeAll(consumer, 1)).map((message) => message.text())).toEqual(["one"]);
    });

    it("is refused at once with a wrong password, which nobody is told", LONG, async () => {
      const options: KafkaOptions = {
        url: SASL_URL,
        ...login,
        password: "wr0ng-s3cret",
        topic: freshName(),
        engine,
        producer_options: plainLogin,
      };
      const error = await openOutput(options).then(
        () => undefined,
        (it: unknown) => it as Error,
      );
      expect(codeOf(error)).toBe("MQB_KAFKA_NOT_LOGGED_IN");
      expect(error!.message).not.toContain("wr0ng-s3cret");
    });

    it("shares the partitions with another member, and takes all of them when that one leaves", LONG, async () => {
      const topic = freshName();
      await createTopic(topic, { numPartitions: PARTITIONS });
      const options: KafkaOptions = { url: KAFKA_URL, topic, group_id: topic, engine, consumer_options: QUICK };
      await using first = disposable(await openInput(options));
      const other = await openInput(options);
      const [mine, theirs]: [string[], string[]] = [[], []];
      const has = (consumer: Consumer): number => (consumer.status!().details!["assigned"] as string[]).length;
      const isShared = (): boolean => has(first.consumer) === PARTITIONS / 2 && has(other) === PARTITIONS / 2;
      await Promise.all([readUntil(first.consumer, mine, isShared), readUntil(other, theirs, isShared)]);
      await produce(topic, values(20, "a"));
      const isRead = (): boolean => mine.length + theirs.length >= 20;
      await Promise.all([readUntil(first.consumer, mine, isRead), readUntil(other, theirs, isRead)]);
      expect([mine.length, theirs.length]).toEqual([10, 10]);
      await other.close();
      await produce(topic, values(8, "b"));
      await readUntil(first.consumer, mine, () => mine.length >= 18);
      expect([...mine, ...theirs].sort()).toEqual(
        [...values(20, "a"), ...values(8, "b")].map(({ value }) => value).sort(),
      );
    });
  });
});

function disposable(consumer: Consumer) {
  return { consumer, [Symbol.asyncDispose]: () => consumer.close() };
}
