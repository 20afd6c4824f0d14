import { systemClock } from "@mqb/core/plugin";
import { expect, it } from "vitest";
import type { RdkafkaConsumerHandle, RdkafkaError, RdkafkaMessage } from "../src/rdkafka/driver.ts";
import { Reader } from "../src/rdkafka/reader.ts";

const DAMAGED = Object.assign(new Error("bad message"), { code: -199 });

/** As node-rdkafka: of an error it says nothing where a message came before it in the same call, and goes on behind it. */
function libraryWith(queue: (number | RdkafkaError)[]): RdkafkaConsumerHandle {
  const consume: RdkafkaConsumerHandle["consume"] = (count, done) => {
    const messages: RdkafkaMessage[] = [];
    let error: RdkafkaError | null = null;
    while (messages.length < count && queue.length > 0) {
      const next = queue.shift()!;
      if (typeof next === "number") messages.push({ topic: "t", partition: 0, offset: next, value: null });
      else {
        if (messages.length === 0) error = next;
        break;
      }
    }
    setImmediate(() => done(error, messages));
  };
  return { setDefaultConsumeTimeout: () => {}, on: () => {}, consume } as unknown as RdkafkaConsumerHandle;
}

it.each([
  [1, ["0", "1", "bad message", "2"]],
  [1000, ["0", "1", "2"]],
])("with %i messages in a call, damage between others makes %j", async (mostAtOnce, expected) => {
  const seen: string[] = [];
  const reader = await new Promise<Reader>((resolve) => {
    const made: Reader = new Reader(libraryWith([0, 1, DAMAGED, 2]), {
      clock: systemClock,
      budget: 1e6,
      mostAtOnce,
      places: () => [],
      hasRoom: () => true,
      came: (messages) => {
        seen.push(...messages.map(({ offset }) => `${offset}`));
        if (seen.includes("2")) resolve(made);
      },
      failed: (error) => seen.push(error.message),
    });
    made.start();
  });
  await reader.stop();
  expect(seen).toEqual(expected);
});
