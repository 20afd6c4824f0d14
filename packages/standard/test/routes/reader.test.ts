import { FakeClock, messageBatch } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER } from "../opened.ts";
import { setUp } from "./setup.ts";

/** A drain with `asked` questions, of a memory topic that holds `held` answers and does not know its end. */
async function drain(asked: number, held: number) {
  const clock = new FakeClock();
  const { source, bridge } = setUp({ clock, drainIdleMs: 1_000 });
  const publisher = await bridge.openPublisher({ memory: { topic: "t", capacity: 100 } });
  if (held > 0) await publisher.send(messageBatch(held), NEVER);
  source
    .push(messageBatch(asked, { from: 100 }))
    .pushEmpty()
    .pushEmpty();
  const output = { reader: { memory: { topic: "t" } } };
  const route = bridge.route("r", { input: { source: {} }, output, exit_on_empty: true });
  await route.start();
  return clock.runUntil(route.done, 300_000);
}

it("a drain ends when the topic that it reads has an answer for every question", async () => {
  expect(await drain(2, 3)).toMatchObject({ outcome: "completed", accounting: { received: 2, inFlight: 0 } });
});

it.each([0, 1])("a drain ends when the topic that it reads has %d answers for two questions", async (held) => {
  const result = await drain(2, held);
  expect(result.accounting).toMatchObject({ received: 2, inFlight: 0, nacked: 2 - held });
});
