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

it("what a session holds is disposed of once, at the end of the route and not at a reconnect", async () => {
  const disposed: string[] = [];
  const holder = (name: string): AsyncDisposable => ({ [Symbol.asyncDispose]: async () => void disposed.push(name) });
  let connections = 0;
  const input = new FakeConsumer();
  const { route, clock } = harness({
    consumer: ({ session }) => {
      connections += 1;
      session.set("stream", session.get("stream") ?? holder("input"));
      return connections < 3 ? new FakeConsumer([new Error("away")]) : input;
    },
    publisher: ({ session }) => {
      session.set("plain", "value");
      session.set("held", session.get("held") ?? holder("output"));
      return new FakePublisher();
    },
  });
  await route.start();
  await clock.advance(60_000);
  expect([connections, disposed]).toEqual([3, []]);
  await clock.run(route.stop());
  expect([input.closed, disposed.toSorted()]).toEqual([1, ["input", "output"]]);
});

it("a value of a session that cannot be disposed of holds the end of the route up for two seconds only", async () => {
  const { route, clock, log } = harness({
    consumer: ({ session }) => {
      session.set("stuck", { [Symbol.asyncDispose]: () => new Promise(() => {}) });
      session.set("broken", { [Symbol.asyncDispose]: () => Promise.reject(new Error("no")) });
      return new FakeConsumer();
    },
  });
  await route.start();
  const before = clock.monotonic();
  expect(await clock.run(route.stop())).toMatchObject({ outcome: "stopped" });
  expect(clock.monotonic() - before).toBe(2000);
  expect(log.at("warn").join()).toMatch(/did not close within 2000 ms.*failed: no/);
});
