import type { ConfiguredRoute } from "@mqb/config";
import { createBridge, createRegistry } from "@mqb/core";
import { silentLogger } from "@mqb/core/plugin";
import { FakeClock } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { compareRoutes, fingerprint } from "../src/reload/compare.ts";
import { oneAtATime, whenQuiet } from "../src/reload/triggers.ts";
import { RouteSet } from "../src/run/route-set.ts";

const route = (name: string, config: unknown): ConfiguredRoute =>
  ({ name, config, problems: [] }) as unknown as ConfiguredRoute;

describe("a reload", () => {
  it("tells what was added, changed, removed and left alone", () => {
    const running = new Map([
      ["same", fingerprint({ a: 1, b: { c: 2, d: [1, 2] } })],
      ["changed", fingerprint({ a: 1 })],
      ["gone", fingerprint({})],
    ]);
    const wanted = [route("new", {}), route("same", { b: { d: [1, 2], c: 2 }, a: 1 }), route("changed", { a: 2 })];
    const { added, changed, removed, unchanged } = compareRoutes(running, wanted);
    expect([added.map(({ name }) => name), changed.map(({ name }) => name), removed, unchanged]).toEqual([
      ["new"],
      ["changed"],
      ["gone"],
      1,
    ]);
  });

  it("takes the order of a list for a difference, and that of a map for none", () => {
    expect(fingerprint({ a: 1, b: 2 })).toBe(fingerprint({ b: 2, a: 1 }));
    expect(fingerprint({ a: [1, 2] })).not.toBe(fingerprint({ a: [2, 1] }));
  });

  it("forgets why a route has failed that the configuration does not have any more", () => {
    const routes = new RouteSet(createBridge({ registry: createRegistry([]) }), silentLogger);
    routes.failed.set("gone", "not installed").set("stays", "not installed");
    routes.compare([route("stays", {})]);
    expect([...routes.failed.keys()]).toEqual(["stays"]);
  });

  it("takes several saves in a row for one, and a later one for another", async () => {
    const clock = new FakeClock();
    let reloads = 0;
    const { ask, end } = whenQuiet(clock, () => reloads++);
    for (let save = 0; save < 4; save++) {
      ask();
      await clock.advance(500);
    }
    expect(reloads).toBe(0);
    await clock.advance(200);
    expect(reloads).toBe(1);
    ask();
    await clock.advance(600);
    expect(reloads).toBe(2);
    ask();
    end();
    await clock.advance(5000);
    expect(reloads).toBe(2);
  });

  it("runs one at a time, and once more for requests that came meanwhile", async () => {
    let runs = 0;
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { request, idle } = oneAtATime(async () => {
      runs++;
      await gate;
    });
    request();
    request();
    request();
    expect(runs).toBe(1);
    release();
    await idle();
    expect(runs).toBe(2);
    request();
    await idle();
    expect(runs).toBe(3);
  });
});
