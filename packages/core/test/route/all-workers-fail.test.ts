import { describe, expect, it } from "vitest";
import { MqbError } from "../../src/errors/mqb-error.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { harness } from "../fakes/harness.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { until } from "../fakes/until.ts";

describe("a route of which every worker has failed", () => {
  it.each([false, true])(
    "gives all batches back and reconnects instead of hanging (commits in order: %s)",
    async (commitsInOrder) => {
      const steps = [["a"], ["b"], ["c"]];
      const consumers = [new FakeConsumer(steps), new FakeConsumer(steps)];
      const publishers = [
        new FakePublisher(() => {
          throw new MqbError("MQB_FAKE_GONE", "connection", "gone");
        }),
        new FakePublisher(),
      ];
      let opened = 0;
      const h = harness({
        consumer: () => consumers[opened++]!,
        publisher: () => publishers[opened]!,
        input: { commitsInOrder },
        route: { concurrency: 3 },
      });
      await h.route.start();
      await until(() => consumers[0]!.closed > 0);
      expect(consumers[0]!.acked).toEqual([]);
      await h.clock.advance(60_000);
      await until(() => consumers[1]!.acked.length === 3);
      expect(publishers[1]!.texts.toSorted()).toEqual(["a", "b", "c"]);
      await h.clock.run(h.route.stop());
    },
  );
});
