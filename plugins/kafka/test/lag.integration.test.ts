import { eventually } from "@mqb/testkit";
import { describe, it } from "vitest";
import { createTopic, produce } from "./admin.ts";
import { openInput } from "./open.ts";
import { freshName, KAFKA_URL, withKafka } from "./server.ts";

await withKafka(() => {
  describe("the lag in the status", () => {
    it("grows with what comes while the sink holds everything up", { timeout: 60_000 }, async () => {
      const topic = freshName();
      await createTopic(topic);
      const large = "x".repeat(40_000);
      const fill = (count: number) =>
        produce(
          topic,
          Array.from({ length: count }, () => ({ value: large })),
        );
      await fill(10);
      const consumer = await openInput({
        url: KAFKA_URL,
        topic,
        group_id: topic,
        // Little is read ahead, so that nothing more is fetched.
        consumer_options: [
          ["queued.max.messages.kbytes", "1"],
          ["max.partition.fetch.bytes", "1000"],
          ["fetch.wait.max.ms", "50"],
        ],
      });
      const held = await consumer.receive(1, AbortSignal.timeout(20_000));
      const pending = (count: number) => () => consumer.status!().pending === count;
      await eventually(pending(10), "ten to wait", 10_000);
      await fill(15);
      await eventually(pending(25), "all of them to wait", 10_000);
      await held.commit();
      await eventually(pending(24), "one less to wait", 10_000);
      await consumer.close();
    });
  });
});
