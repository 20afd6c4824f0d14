import { createBridge, createRegistry } from "@mqb/core";
import { codeOf, MqbError } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { CollectingPublisher, fakePlugin } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin, { type HttpOptions } from "../src/index.ts";
import { ask, portOf, stub } from "./support.ts";

const registry = createRegistry([plugin, standard]);

/** Several routes of one bridge; each answers with its name. */
async function routes(inputs: Readonly<Record<string, Partial<HttpOptions>>>) {
  const probe = await stub(() => {});
  const { port } = probe;
  await probe[Symbol.asyncDispose]();
  const bridge = createBridge({ registry });
  const all = Object.entries(inputs).map(([name, input]) =>
    bridge.route(name, {
      input: { http: { url: `127.0.0.1:${port}`, ...input } },
      output: { static: { body: name, raw: true } },
    } as never),
  );
  return {
    all,
    bridge,
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const route of all) await route.stop();
    },
  };
}

describe("routes that share a listener", () => {
  it("get what fits them best", async () => {
    await using set = await routes({
      any: {},
      put: { method: "PUT" },
      orders: { path: "/orders" },
      post: { path: "/orders", method: "POST" },
    });
    for (const route of set.all) await route.start();
    expect((await ask(`${set.url}/orders`)).text).toBe("post");
    expect((await ask(`${set.url}/orders`, { method: "PUT" })).text).toBe("orders");
    expect((await ask(`${set.url}/else`, { method: "PUT" })).text).toBe("put");
    expect((await ask(`${set.url}/else`)).text).toBe("any");
  });

  it("are refused when two want the same, and both are named", async () => {
    await using set = await routes({ one: { path: "/x", method: "POST" }, two: { path: "x", method: "post" } });
    const [one, two] = set.all;
    await one!.start();
    const error = await two!.start().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(codeOf(error)).toBe("MQB_HTTP_TAKEN");
    for (const named of ["one", "two", "POST /x", String(set.port)]) expect(String(error)).toContain(named);
    expect((await ask(`${set.url}/x`)).text).toBe("one");
  });

  it("are refused when they differ in what a listener has once", async () => {
    await using set = await routes({ one: { path: "/x" }, two: { path: "/y", server_protocol: "http1_only" } });
    await set.all[0]!.start();
    await expect(set.all[1]!.start()).rejects.toThrow(
      /"one" and "two" share the listener .* differ in server_protocol/,
    );
  });

  it("come and go alone: the others stay, and the path of a stopped one is free", async () => {
    await using set = await routes({ one: { path: "/x" }, two: { path: "/y" }, three: { path: "/x" } });
    const [one, two, three] = set.all;
    await one!.start();
    await two!.start();
    await one!.stop();
    expect((await ask(`${set.url}/x`)).status).toBe(404);
    expect((await ask(`${set.url}/y`)).text).toBe("two");
    await three!.start();
    expect((await ask(`${set.url}/x`)).text).toBe("three");
  });

  it("have a path that is 503, not 404, while they reconnect", async () => {
    const probe = await stub(() => {});
    const { port } = probe;
    await probe[Symbol.asyncDispose]();
    const sink = new CollectingPublisher();
    const bridge = createBridge({
      registry: createRegistry([plugin, standard, fakePlugin({ sink: { publisher: sink } })]),
    });
    const input = (path: string) => ({ http: { url: `127.0.0.1:${port}`, path } });
    const one = bridge.route("one", {
      input: input("/x"),
      output: { sink: {} },
      reconnect_interval_ms: 60_000,
    } as never);
    const two = bridge.route("two", { input: input("/y"), output: { response: {} } } as never);
    await two.start();
    await one.start();
    sink.rejectNext(new MqbError("TEST_CUT", "connection", "cut"));
    await ask(`http://127.0.0.1:${port}/x`, { body: "lost" });
    await expect.poll(async () => (await ask(`http://127.0.0.1:${port}/x`)).status).toBe(503);
    await one.stop();
    expect((await ask(`http://127.0.0.1:${port}/x`)).status).toBe(404);
    await two.stop();
  });

  it("close it together, and it can be opened again at once", async () => {
    await using set = await routes({ one: {} });
    await set.all[0]!.start();
    expect((await ask(set.url)).text).toBe("one");
    await set.all[0]!.stop();
    await expect(ask(set.url)).rejects.toThrow();
    const again = set.bridge.route("again", {
      input: { http: { url: `127.0.0.1:${set.port}` } },
      output: { static: { body: "again", raw: true } },
    } as never);
    await again.start();
    expect((await ask(set.url)).text).toBe("again");
    await again.stop();
  });
});

describe("an address", () => {
  it("that another program has is a connection error that names it, so that the route tries again", async () => {
    await using other = await stub(() => {});
    const route = createBridge({ registry }).route("r", {
      input: { http: { url: `127.0.0.1:${other.port}` } },
      startup_timeout_ms: 0,
    } as never);
    await expect(route.start()).rejects.toMatchObject({ code: "MQB_HTTP_IN_USE", kind: "connection" });
    await route.stop();
  });

  it("may be IPv6, and any free port", async () => {
    const route = createBridge({ registry }).route("r", {
      input: { http: { url: "[::1]:0" } },
      output: { response: {} },
    } as never);
    await route.start();
    expect((await ask(`http://[::1]:${portOf(route)}/`, { body: "six" })).text).toBe("six");
    await route.stop();
  });
});
