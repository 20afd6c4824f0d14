import { createBridge } from "@mqb/core";
import { batchOf, codeOf, describeError, Message, MqbError } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type CodeEndpoint, createCodeRegistry, EndOfStream } from "../src/index.ts";
import { NEVER } from "./setup.ts";

interface Settings {
  readonly topic: string;
}

const texts = (messages: readonly Message[]): string[] => messages.map((message) => message.text());
const open = (registry = createCodeRegistry([standard])) => ({ registry, bridge: createBridge({ registry }) });

/** Gives each list once, then nothing. */
function listed(...batches: unknown[][]): CodeEndpoint & { words: string[][]; closed: number } {
  const endpoint = {
    words: [] as string[][],
    closed: 0,
    receiveBatch: () => batches.shift() as string[] | undefined,
    commit: (words: readonly string[]) => void endpoint.words.push([...words]),
    close: () => void endpoint.closed++,
  };
  return endpoint;
}

function kept(): CodeEndpoint & { got: string[] } {
  const endpoint = {
    got: [] as string[],
    sendBatch: (messages: readonly Message[]) => void endpoint.got.push(...texts(messages)),
  };
  return endpoint;
}

async function run(bridge: ReturnType<typeof open>["bridge"], route: object) {
  const made = bridge.route("r", { exit_on_empty: true, ...route });
  await made.start().catch(() => {});
  return await made.done;
}

describe("an endpoint made of functions", () => {
  it("drains into one: the factories get the route and the configuration, once per place", async () => {
    const { registry, bridge } = open();
    const calls: unknown[] = [];
    const from = listed([new Message("a"), "b"], [Buffer.from("c"), { d: 1 }]);
    const to = kept();
    registry.registerEndpoint<Settings>("shelf", (route, config, { side }) => {
      expectTypeOf(config).toEqualTypeOf<Settings>();
      calls.push([route, config, side]);
      return side === "input" ? from : to;
    });
    const result = await run(bridge, {
      input: { shelf: { topic: "in" } },
      output: { custom: { name: "shelf", config: { topic: "out" } } },
    });
    expect(result).toMatchObject({ outcome: "completed", accounting: { received: 4, delivered: 4 } });
    expect(to.got).toEqual(["a", "b", "c", '{"d":1}']);
    expect(from.words).toEqual([
      ["ack", "ack"],
      ["ack", "ack"],
    ]);
    expect(from.closed).toBe(1);
    expect(calls).toEqual([
      ["r", { topic: "out" }, "output"],
      ["r", { topic: "in" }, "input"],
    ]);
  });

  it("tells by position what has failed, and answers", async () => {
    const { registry, bridge } = open();
    const bad = Object.assign(new Error("bad"), { retryable: false });
    registry.registerEndpoint("sink", () => ({
      sendBatch: (messages) => messages.map((_, i) => [undefined, bad, new Message("re")][i]),
    }));
    const publisher = await bridge.openPublisher({ sink: {} });
    expect(await publisher.send(batchOf(["a", "b", "c"].map((text) => new Message(text))), NEVER)).toEqual([
      { type: "accepted" },
      { type: "failed", error: bad },
      { type: "replied", message: expect.any(Message) },
    ]);
    await publisher.close();
  });

  it("that throws dead-letters its messages when it says that they are bad", async () => {
    const { registry, bridge } = open();
    registry.registerEndpoint("from", () => listed(["a", "b"]));
    registry.registerEndpoint("to", () => ({
      sendBatch() {
        throw Object.assign(new Error("no good"), { retryable: false });
      },
    }));
    const dead = kept();
    registry.registerEndpoint("dead", () => dead);
    const output = { to: {}, middlewares: [{ dlq: { endpoint: { dead: {} } } }] };
    const result = await run(bridge, { input: { from: {} }, output });
    expect(result.accounting).toMatchObject({ deadLettered: 2, dropped: 0 });
    expect(dead.got).toHaveLength(2);
  });

  it("is finished for good when it says so", async () => {
    const { registry, bridge } = open();
    const batches = [["a"]];
    registry.registerEndpoint("from", () => ({
      receiveBatch() {
        const batch = batches.shift();
        if (!batch) throw new EndOfStream();
        return batch;
      },
    }));
    const result = await run(bridge, { input: { from: {} }, exit_on_empty: false });
    expect(result).toMatchObject({ outcome: "completed", accounting: { delivered: 1 } });
  });

  it("gets its messages back by position when the sink refuses some", async () => {
    const { registry, bridge } = open();
    const from = listed(["a", "b"], ["b"]);
    registry.registerEndpoint("from", () => from);
    let times = 0;
    registry.registerEndpoint("to", () => ({
      sendBatch: (messages) => messages.map((one) => (one.text() === "b" && times++ === 0 ? new Error("later") : null)),
    }));
    const result = await run(bridge, { input: { from: {} }, output: { to: {} } });
    expect(from.words).toEqual([["ack", "nack"], ["ack"]]);
    expect(result.accounting).toMatchObject({ delivered: 2, nacked: 1 });
  });

  it("is refused for a side that it has no function for, by the name of that, and is closed", async () => {
    const { registry, bridge } = open();
    const from = listed();
    registry.registerEndpoint("shelf", () => from);
    const result = await run(bridge, { input: { shelf: {} }, output: { shelf: {} } });
    expect(result.outcome).toBe("failed");
    expect(codeOf(result.error)).toBe("MQB_HANDLERS_NO_METHOD");
    expect(describeError(result.error)).toContain(
      '"shelf" cannot be an output: what its factory made has no sendBatch',
    );
    expect(from.closed).toBe(1);
  });

  it.each([
    ["a factory that makes nothing", () => undefined, "MQB_HANDLERS_NO_OBJECT"],
    ["too many messages", () => ({ receiveBatch: () => new Array(513).fill("x") }), "MQB_HANDLERS_TOO_MANY"],
    ["a text in the place of a list", () => ({ receiveBatch: () => "abc" }), "MQB_HANDLERS_NO_LIST"],
    ["bytes in the place of a list", () => ({ receiveBatch: () => Buffer.from("abc") }), "MQB_HANDLERS_NO_LIST"],
    ["a number in the place of a list", () => ({ receiveBatch: () => 3 }), "MQB_HANDLERS_NO_LIST"],
    ["what is no message", () => ({ receiveBatch: () => [() => {}] }), "MQB_HANDLERS_NO_MESSAGE"],
  ])("is refused for %s", async (_, factory, code) => {
    const { registry, bridge } = open();
    registry.registerEndpoint("shelf", factory as never);
    const result = await run(bridge, { input: { shelf: {} } });
    expect(result.outcome).toBe("failed");
    expect(codeOf(result.error)).toBe(code);
  });

  it("whose close ends a wait that heeds its signal", async () => {
    const { registry, bridge } = open();
    registry.registerEndpoint("shelf", () => ({
      receiveBatch: (_, signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve([]), { once: true })),
    }));
    const consumer = await bridge.openConsumer({ custom: { name: "shelf", config: {} } });
    const waiting = consumer.receive(10, NEVER);
    await consumer.close();
    expect((await waiting).batch.length).toBe(0);
  });

  it("declares what it can do", () => {
    const { registry, bridge } = open();
    registry.registerEndpoint("plain", () => ({}));
    registry.registerEndpoint("lossy", () => ({}), { input: { acknowledges: false }, output: { idempotent: true } });
    const level = (input: object, output: object) => bridge.check("r", { input, output }).plan?.guarantee.level;
    expect(level({ plain: {} }, { plain: {} })).toBe("at_least_once");
    expect(level({ lossy: {} }, { plain: {} })).toBe("at_most_once");
    expect(bridge.check("r", { input: { plain: {} }, output: { lossy: {} } }).plan?.output.output?.idempotent).toBe(
      true,
    );
  });

  it("can be written as a URI", () => {
    const { registry } = open();
    registry.registerEndpoint("shelf", () => ({}));
    const config = (body: string, params: [string, string][] = []) =>
      registry.scheme("shelf")?.definition.config({ scheme: "shelf", body, params }, "input");
    expect(config("//letters", [["size", "3"]])).toEqual({ url: "shelf://letters", size: "3" });
    expect(config("")).toEqual({});
  });
});

describe("a middleware made of functions", () => {
  const upper = (messages: readonly Message[]) =>
    messages.map((one) => (one.text().startsWith("x") ? null : one.text().toUpperCase()));

  async function with_(side: "input" | "output", middleware: object, ...batches: string[][]) {
    const { registry, bridge } = open();
    const from = listed(...batches);
    const to = kept();
    registry.registerEndpoint("from", () => from);
    registry.registerEndpoint("to", () => to);
    registry.registerMiddleware("change", () => middleware);
    const on = (which: string) => (which === side ? { middlewares: [{ change: {} }] } : {});
    const result = await run(bridge, { input: { from: {}, ...on("input") }, output: { to: {}, ...on("output") } });
    return { result, from, to };
  }

  it.each([
    ["input", { onReceive: upper }],
    ["output", { onSend: upper }],
  ] as const)("changes and drops messages of an %s", async (side, middleware) => {
    const { result, from, to } = await with_(side, middleware, ["a", "x1", "b"], ["x2", "x3"], ["c"]);
    expect(to.got).toEqual(["A", "B", "C"]);
    expect(from.words).toEqual([["ack", "ack", "ack"], ["ack", "ack"], ["ack"]]);
    expect(result).toMatchObject({
      outcome: "completed",
      accounting: { received: 6, delivered: 3, filtered: 3, inFlight: 0 },
    });
  });

  it("lets everything pass where it has no function for the side", async () => {
    const { to } = await with_("input", { onSend: upper }, ["a", "x"]);
    expect(to.got).toEqual(["a", "x"]);
  });

  it.each([
    ["too short a list", (messages: readonly Message[]) => messages.slice(1)],
    ["nothing", () => undefined],
  ])("fails the route when it gives %s", async (_, onReceive) => {
    const { result, from } = await with_("input", { onReceive }, ["a", "b"]);
    expect(result.outcome).toBe("failed");
    expect(codeOf(result.error)).toBe("MQB_HANDLERS_WRONG_COUNT");
    expect(describeError(result.error)).toContain('onReceive of "change" must give a list of 2');
    expect(from.words).toEqual([]);
  });

  it("is closed once, after the end that it stands before", async () => {
    const { registry, bridge } = open();
    const order: string[] = [];
    registry.registerEndpoint(
      "end",
      () => ({ sendBatch() {}, receiveBatch() {}, close: () => void order.push("end") }) as never,
    );
    registry.registerMiddleware("change", () => ({ close: () => void order.push("change") }));
    const endpoint = { end: {}, middlewares: [{ change: {} }] };
    for (const opened of [await bridge.openPublisher(endpoint), await bridge.openConsumer(endpoint)]) {
      await Promise.all([opened.close(), opened.close()]);
      expect(order.splice(0)).toEqual(["end", "change"]);
    }
  });

  describe.each([
    ["ids that repeat", { stableIds: true }],
    ["positions that repeat", { replayablePosition: true }],
  ])("before a source with %s", (_, input) => {
    const level = (keepIds: boolean | undefined, side: "input" | "output") => {
      const { registry, bridge } = open();
      registry.registerEndpoint("from", () => ({}), { input });
      registry.registerEndpoint("to", () => ({}), { output: { idempotent: true } });
      const options = keepIds === undefined ? {} : { keepIds };
      registry.registerMiddleware("change", () => ({ onReceive: upper }), options);
      const on = (which: string) => (which === side ? { middlewares: [{ change: {} }] } : {});
      const { plan } = bridge.check("r", { input: { from: {}, ...on("input") }, output: { to: {}, ...on("output") } });
      return plan?.guarantee.level;
    };

    it("makes no promise of what is taken once, unless it keeps the ids", () => {
      expect(level(undefined, "input")).toBe("at_least_once");
      expect(level(false, "input")).toBe("at_least_once");
      expect(level(true, "input")).toBe("effectively_once");
      expect(level(undefined, "output")).toBe("effectively_once");
    });
  });

  it("is no hindrance for a sink that names by positions", () => {
    const { registry, bridge } = open();
    registry.registerEndpoint("from", () => ({}), { input: { replayablePosition: true } });
    registry.registerEndpoint("to", () => ({}), { output: { idempotent: true, needsPositions: "name_by: position" } });
    registry.registerMiddleware("change", () => ({ onReceive: upper }));
    const input = { from: {}, middlewares: [{ change: {} }] };
    const { plan, problems } = bridge.check("r", { input, output: { to: {} } });
    expect([problems, plan?.guarantee.level]).toEqual([[], "at_least_once"]);
  });

  it.each([true, false])("gives what it makes the id of the message before, when it keeps ids: %s", async (keepIds) => {
    const { registry, bridge } = open();
    const sent = [new Message("a"), new Message("b"), new Message("c")];
    const own = new Message("B", new Map([["own", "yes"]]));
    registry.registerEndpoint("from", () => listed(sent));
    registry.registerMiddleware("change", () => ({ onReceive: ([a]) => [a, own, null] as const }), { keepIds });
    const consumer = await bridge.openConsumer({ from: {}, middlewares: [{ change: {} }] });
    const { batch } = await consumer.receive(10, NEVER);
    const got = [...batch];
    expect(texts(got)).toEqual(["a", "B"]);
    expect(got.map(({ id }) => id)).toEqual([sent[0]!.id, keepIds ? sent[1]!.id : own.id]);
    expect([...got[1]!.metadata]).toEqual([["own", "yes"]]);
    await consumer.close();
  });

  it("keeps the id and the metadata of a message whose payload it changes", async () => {
    const { registry, bridge } = open();
    registry.registerMiddleware("change", (route, config, { path }) => {
      expect([route, config, path]).toEqual(["direct", { by: 1 }, "output.middlewares[0].change"]);
      return { onSend: async (messages) => messages.map(() => "new") };
    });
    const got: Message[] = [];
    registry.registerEndpoint("to", () => ({ sendBatch: (messages) => void got.push(...messages) }));
    const publisher = await bridge.openPublisher({ to: {}, middlewares: [{ change: { by: 1 } }] });
    const sent = new Message("old", new Map([["k", "v"]]));
    await publisher.send(batchOf([sent]), NEVER);
    expect(got[0]!.id).toBe(sent.id);
    expect([...got[0]!.metadata]).toEqual([["k", "v"]]);
    expect(got[0]!.text()).toBe("new");
  });
});

describe("names", () => {
  it("are taken once: a second one is refused, and the first stays", () => {
    const registry = createCodeRegistry([standard]);
    const first = () => ({});
    registry.registerEndpoint("shelf", first);
    const before = registry.endpoint("shelf");
    for (const name of ["shelf", "memory", "custom"]) {
      expect(() => registry.registerEndpoint(name, () => ({})), name).toThrow(MqbError);
    }
    expect(() => registry.registerMiddleware("retry", () => ({}))).toThrow(/"retry" is offered by two/);
    expect(registry.endpoint("shelf")).toBe(before);
    expect(registry.names("endpoint").filter((name) => name === "shelf")).toHaveLength(1);
    // An endpoint and a middleware may have one name.
    registry.registerMiddleware("shelf", () => ({}));
    expect(registry.middleware("shelf")?.name).toBe("shelf");
  });

  it("are given free, and it is said whether there was one", () => {
    const registry = createCodeRegistry([standard]);
    registry.registerEndpoint("shelf", () => ({}));
    registry.registerMiddleware("mask", () => ({}));
    expect(registry.unregisterEndpoint("mask")).toBe(false);
    expect(registry.unregisterEndpoint("memory")).toBe(false);
    expect(registry.unregisterEndpoint("shelf")).toBe(true);
    expect(registry.unregisterEndpoint("shelf")).toBe(false);
    expect(registry.unregisterMiddleware("mask")).toBe(true);
    expect(registry.endpoint("shelf")).toBeUndefined();
    expect(registry.scheme("shelf")).toBeUndefined();
    registry.registerEndpoint("shelf", () => ({}));
    expect(registry.endpoint("shelf")).toBeDefined();
  });

  it("need a function", () => {
    const registry = createCodeRegistry();
    expect(() => registry.registerEndpoint("a", {} as never)).toThrow(TypeError);
    expect(() => registry.registerMiddleware("a", undefined as never)).toThrow(TypeError);
    expect(registry.names("endpoint")).toEqual([]);
  });
});
