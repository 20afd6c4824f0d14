import type { ConfiguredRoute } from "@mqb/config";
import type { Bridge, RouteResult } from "@mqb/core";
import { recordingLogger } from "@mqb/testkit";
import { expect, it } from "vitest";
import { RouteSet } from "../src/run/route-set.ts";

const ACCOUNTING = { received: 1, delivered: 1 };

/** Routes that have ended before anybody could say that they have started. */
function shortLived() {
  const result = { outcome: "completed", accounting: ACCOUNTING, drops: [] } as unknown as RouteResult;
  const route = (name: string) => ({
    name,
    done: Promise.resolve(result),
    hasEnded: true,
    start: async () => {
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      return "running";
    },
  });
  const log = recordingLogger();
  const routes = new RouteSet({ route } as unknown as Bridge, log);
  return { routes, lines: () => log.entries.map(({ message }) => message) };
}

const configured = (name: string) =>
  ({ name, config: {}, problems: [], plan: { options: { exitOnEmpty: true } } }) as unknown as ConfiguredRoute;

it("the end of a route is not told before the starts are", async () => {
  const { routes, lines } = shortLived();
  routes.add(configured("a"));
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  expect(lines()).toEqual([]);
  routes.startsTold();
  await routes.noteEnds();
  expect(lines()).toEqual(["route a completed"]);
});

it("of a route that a reload brings, the start is told before the end", async () => {
  const { routes, lines } = shortLived();
  await routes.apply({ added: [configured("b")], changed: [], removed: [], unchanged: 0 });
  await routes.noteEnds();
  expect(lines()).toEqual(["route b was started", "route b completed"]);
});
