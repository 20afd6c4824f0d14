import { describe, expect, it } from "vitest";
import { failed } from "../../src/contract/disposition.ts";
import { MqbError } from "../../src/errors/mqb-error.ts";
import { batchOf, slabBatch } from "../../src/message/batch.ts";
import { Message } from "../../src/message/message.ts";
import type { Handler } from "../../src/route/handler.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { harness } from "../fakes/harness.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { until } from "../fakes/until.ts";

async function handling(handler: Handler, texts: string[], publisher = new FakePublisher()) {
  const consumer = new FakeConsumer([texts]);
  const h = harness({ consumer, publisher, run: { handler } });
  await h.route.start();
  await until(() => consumer.commits.length === 1);
  const { accounting } = h.route.status();
  await h.clock.run(h.route.stop());
  return { ...h, consumer, accounting };
}

describe("a handler", () => {
  it("is called once per message, one after another, and returns what is published", async () => {
    const seen: string[] = [];
    const { publisher, consumer } = await handling(
      async (message) => {
        seen.push(`start ${message.text()}`);
        await Promise.resolve();
        seen.push(`end ${message.text()}`);
        return message.with({ payload: Buffer.from(message.text().toUpperCase()) });
      },
      ["a", "b"],
    );
    expect(seen).toEqual(["start a", "end a", "start b", "end b"]);
    expect(publisher.texts).toEqual(["A", "B"]);
    expect(consumer.commits[0]!.dispositions).toBeUndefined();
  });

  it.each([[undefined], [null]])("that returns %s acknowledges without publishing", async (nothing) => {
    const { publisher, consumer, accounting } = await handling(
      (message) => (message.text() === "b" ? message : nothing),
      ["a", "b", "c"],
    );
    expect(publisher.texts).toEqual(["b"]);
    expect(consumer.acked).toEqual(["a", "b", "c"]);
    expect(accounting).toMatchObject({ received: 3, delivered: 3, inFlight: 0 });
  });

  it("may leave nothing to publish at all", async () => {
    const { publisher, consumer } = await handling(() => {}, ["a", "b"]);
    expect(publisher.sent).toEqual([]);
    expect(consumer.acked).toEqual(["a", "b"]);
  });

  const throwers: [string, () => never | Promise<never>][] = [
    [
      "throws",
      () => {
        throw new Error("boom");
      },
    ],
    ["rejects", () => Promise.reject(new Error("boom"))],
    [
      "throws a text",
      () => {
        throw "boom";
      },
    ],
    [
      "throws null",
      () => {
        throw null;
      },
    ],
    [
      "throws undefined",
      () => {
        throw undefined;
      },
    ],
    ["rejects with a number", () => Promise.reject(7)],
  ]; // prettier-ignore
  it.each(throwers)("that %s fails its message alone, to come again", async (_, fail) => {
    const { publisher, consumer, log } = await handling(
      (message) => (message.text() === "bad" ? fail() : message),
      ["a", "bad", "c"],
    );
    expect(publisher.texts).toEqual(["a", "c"]);
    expect(consumer.acked).toEqual(["a", "c"]);
    expect(consumer.nacked).toEqual(["bad"]);
    const [line] = log.lines.filter(({ level }) => level === "warn");
    expect(line!.message).toMatch(
      /^Message [0-9a-f-]{36} goes back to the source: the handler of route "r" failed for message/,
    );
    const { cause } = line!.fields!["error"] as Error;
    expect((cause as Error).message).toMatch(/^(boom|thrown value: (boom|null|undefined|7))$/);
    if ((cause as Error).message === "boom") expect((cause as Error).stack).toContain("handler.test.ts");
  });

  it.each([
    ["a permanent mqb error", new MqbError("MQB_X", "permanent", "never")],
    ["an error that is not `retryable`", Object.assign(new Error("never"), { retryable: false })],
    ["a wrapped permanent error", new Error("outer", { cause: new MqbError("MQB_X", "permanent", "never") })],
  ])("that throws %s drops the message, and keeps the rest of the batch", async (_, error) => {
    const { publisher, consumer, accounting, log } = await handling(
      (message) => {
        if (message.text() === "bad") throw error;
        return message;
      },
      ["a", "bad", "c"],
    );
    expect(publisher.texts).toEqual(["a", "c"]);
    expect(consumer.acked).toEqual(["a", "bad", "c"]);
    expect(accounting).toMatchObject({ delivered: 2, dropped: 1 });
    expect(log.at("error")[0]).toMatch(/^Dropping message .* due to non-retryable error: .*never$/);
  });

  it.each([
    ["a text", "x"],
    ["a number", 5],
    ["an object", {}],
    ["a list", []],
  ])("that returns %s drops the message with an error that says so", async (_, result) => {
    const { consumer, log, accounting } = await handling(() => result as never, ["a"]);
    expect(consumer.acked).toEqual(["a"]);
    expect(accounting.dropped).toBe(1);
    expect(log.at("error")[0]).toContain(`the handler of route "r" returned ${typeof result}`);
  });

  it("may return a message of another copy of core", async () => {
    const foreign = { payload: Buffer.from("x"), id: "i", metadata: new Map(), text: () => "x" };
    const { publisher } = await handling(() => foreign as unknown as Message, ["a"]);
    expect(publisher.texts).toEqual(["x"]);
  });

  it("that throws a connection error makes the route reconnect", async () => {
    const consumer = new FakeConsumer([["a"]]);
    const handler = () => {
      throw new MqbError("MQB_DB", "connection", "database is away");
    };
    const { route, clock } = harness({ consumer, run: { handler } });
    await route.start();
    await until(() => route.state === "reconnecting");
    expect(consumer.nacked).toEqual(["a"]);
    expect(route.status().error).toBe("database is away");
    await clock.run(route.stop());
  });

  it("runs once although the sink fails; what the sink refuses has its place in the received batch", async () => {
    let calls = 0;
    const publisher = new FakePublisher((batch) =>
      [...batch].map((message) =>
        message.text() === "c" ? failed(new MqbError("X", "retryable", "busy")) : { type: "accepted" as const },
      ),
    );
    const { consumer } = await handling(
      (message) => {
        calls += 1;
        return message.text() === "a" ? undefined : message;
      },
      ["a", "b", "c", "d"],
      publisher,
    );
    expect(calls).toBe(4);
    expect(consumer.acked).toEqual(["a", "b", "d"]);
    expect(consumer.nacked).toEqual(["c"]);
  });

  it("survives a message whose parts cannot be read", async () => {
    const consumer = new FakeConsumer();
    const bytes = Buffer.from("x");
    const slab = { bytes, starts: Uint32Array.of(0), ends: Uint32Array.of(1) };
    const unreadable = slabBatch(slab, {
      id: () => {
        throw new Error("no id");
      },
    });
    const script = new FakeConsumer([
      () => consumer.deliverBatch(unreadable),
      () => consumer.deliverBatch(batchOf([new Message("b")])),
    ]);
    const handler: Handler = (message) => {
      if (message.text() === "x") throw new Error("boom");
      return message;
    };
    const { route, clock, publisher } = harness({
      consumer: script,
      output: { orderedPublish: true },
      run: { handler },
    });
    await route.start();
    await clock.advance(60_000);
    await clock.run(route.stop());
    expect(publisher.texts).toContain("b");
    expect(route.status().accounting.inFlight).toBe(0);
  });
});
