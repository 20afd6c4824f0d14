import { CollectingPublisher, FakeClock, fakeContext } from "@mqb/testkit";
import { dlqSchema } from "../../src/dlq/config.ts";
import standard from "../../src/index.ts";

/** A dlq around a collecting sink, with another one for the dead letters. */
export async function setUp(config: object = {}, session = new Map<string, unknown>()) {
  const sink = new CollectingPublisher();
  const letters = new CollectingPublisher();
  const clock = new FakeClock();
  const context = fakeContext({ clock, session, route: "orders", side: "output", openPublisher: async () => letters });
  const settings = dlqSchema.parse({ endpoint: { sink: {} }, ...config });
  const publisher = await standard.middlewares!["dlq"]!.output!(sink, settings, context);
  return { sink, letters, clock, context, publisher, session };
}
