import { describe, expect, it } from "vitest";
import { FakeConsumer } from "../fakes/consumer.ts";
import { never } from "../fakes/deferred.ts";
import { harness } from "../fakes/harness.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { until } from "../fakes/until.ts";

/** Stops a route whose sink never answers. */
async function cutOff(input: { readonly acknowledges: boolean; readonly takesBack?: boolean }) {
  const consumer = new FakeConsumer([["a", "b"]]);
  const publisher = new FakePublisher(() => never());
  const h = harness({ consumer, publisher, input });
  await h.route.start();
  await until(() => publisher.running === 1);
  const result = await h.clock.run(h.route.stop({ graceMs: 10 }));
  return { result, errors: h.log.at("error") };
}

describe("what is in flight when a route is cut off", () => {
  it.each([[{ acknowledges: true }], [{ acknowledges: false, takesBack: true }]])(
    "returns to a source that takes it back: %j",
    async (input) => {
      const { result, errors } = await cutOff(input);
      expect(result.accounting).toMatchObject({ received: 2, nacked: 2, dropped: 0, inFlight: 0 });
      expect(errors).toEqual([]);
    },
  );

  it.each([[{ acknowledges: false }], [{ acknowledges: true, takesBack: false }]])(
    "counts as dropped, with an error in the log, where the source takes nothing back: %j",
    async (input) => {
      const { result, errors } = await cutOff(input);
      expect(result.accounting).toMatchObject({ received: 2, nacked: 0, dropped: 2, inFlight: 0 });
      expect(errors).toEqual([
        expect.stringMatching(/2 messages were read and not delivered.*"source" takes nothing back/),
      ]);
    },
  );
});
