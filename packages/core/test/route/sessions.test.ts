import { expect, it } from "vitest";
import { FakeConsumer } from "../fakes/consumer.ts";
import { harness } from "../fakes/harness.ts";
import { middleware } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";

it("a session is kept for its place in the route, across reconnects", async () => {
  const seen: string[] = [];
  const note = (name: string, session: Map<string, unknown>): void => {
    const visits = ((session.get("visits") as number | undefined) ?? 0) + 1;
    session.set("visits", visits);
    seen.push(`${name} ${visits}`);
  };
  let connections = 0;
  const { route, clock } = harness({
    consumer: ({ session }) => {
      note("input", session);
      connections += 1;
      return new FakeConsumer(connections < 3 ? [new Error("away")] : []);
    },
    publisher: ({ session }) => {
      note("output", session);
      return new FakePublisher();
    },
    middlewares: {
      m: middleware({
        output: (inner, _, { session }) => {
          note("middleware", session);
          return inner;
        },
      }),
    },
    route: { output: { sink: {}, middlewares: ["m", "m"] } },
  });
  await route.start();
  await clock.advance(60_000);
  expect(seen).toEqual([1, 2, 3].flatMap((n) => [`output ${n}`, `middleware ${n}`, `middleware ${n}`, `input ${n}`]));
  await clock.run(route.stop());
});
