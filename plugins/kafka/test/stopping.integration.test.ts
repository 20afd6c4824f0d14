import { setTimeout as pause } from "node:timers/promises";
import { createBridge, createRegistry, type Handler } from "@mqb/core";
import { describeError } from "@mqb/core/plugin";
import { CollectingPublisher, eventually, fakePlugin } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { createTopic, produce, withAdmin } from "./admin.ts";
import { freshName, KAFKA_URL, withKafka } from "./server.ts";

const COUNT = 400;

await withKafka(() => {
  describe("a route that is stopped in the middle of a batch", () => {
    it("ends within its grace, and leaves to the next run what it has not handled", { timeout: 90_000 }, async () => {
      const topic = freshName();
      await createTopic(topic);
      await produce(
        topic,
        Array.from({ length: COUNT }, (_, n) => ({ value: `${n}` })),
      );
      const first = await run(topic, 5, { stopAfter: 60, graceMs: 200 });
      expect(first.tookMs).toBeLessThan(5000);
      const [before] = await withAdmin((admin) => admin.fetchOffsets({ groupId: topic }));
      const committed = Math.max(0, Number(before?.partitions[0]?.offset ?? 0));
      // Whatever is committed was handled, and reached the sink.
      for (let n = 0; n < committed; n++) expect(first.sent.has(n), `${n} is committed and was not sent`).toBe(true);
      const second = await run(topic, 0, {});
      const missing = Array.from({ length: COUNT }, (_, n) => n).filter(
        (n) => !first.sent.has(n) && !second.sent.has(n),
      );
      expect(missing).toEqual([]);
      expect(second.sent.has(committed)).toBe(committed < COUNT);
      expect(Math.min(...second.sent)).toBe(committed);
    });
  });
});

async function run(
  topic: string,
  msEach: number,
  { stopAfter, graceMs }: { readonly stopAfter?: number; readonly graceMs?: number },
): Promise<{ readonly sent: Set<number>; readonly tookMs: number }> {
  const sink = new CollectingPublisher();
  const registry = createRegistry([plugin, fakePlugin({ sink: { publisher: () => sink } })]);
  const config = {
    batch_size: 50,
    startup_timeout_ms: 20_000,
    exit_on_empty: stopAfter === undefined,
    input: { kafka: { url: KAFKA_URL, topic, group_id: topic, consumer_options: [["fetch.wait.max.ms", "50"]] } },
    output: { sink: {} },
  };
  let handled = 0;
  const handler: Handler = async (message) => {
    if (msEach > 0) await pause(msEach);
    handled += 1;
    return message;
  };
  const route = createBridge({ registry }).route("r", config, { handler });
  await route.start();
  if (stopAfter !== undefined) await eventually(() => handled >= stopAfter, "some messages", 30_000);
  const began = performance.now();
  if (stopAfter !== undefined) await route.stop({ graceMs: graceMs ?? 0 });
  const { outcome, error } = await route.done;
  expect(outcome, describeError(error)).toBe(stopAfter === undefined ? "completed" : "stopped");
  return { sent: new Set(sink.messages.map((message) => Number(message.text()))), tookMs: performance.now() - began };
}
