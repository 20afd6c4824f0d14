import { CollectingPublisher, FakeClock } from "@mqb/testkit";
import { retrySchema } from "../../src/retry/config.ts";
import { retryPublisher } from "../../src/retry/publisher.ts";

/** A retry around a collecting sink. */
export function setUp(config: object = {}) {
  const sink = new CollectingPublisher();
  const clock = new FakeClock();
  const publisher = retryPublisher(sink, retrySchema.parse(config), clock);
  return { sink, clock, publisher };
}
