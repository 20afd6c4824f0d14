import { describe, expect, it } from "vitest";
import { batchOf } from "../../src/message/batch.ts";
import { Message } from "../../src/message/message.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { harness } from "../fakes/harness.ts";

const { signal } = new AbortController();

describe("an end that is opened directly", () => {
  it("is a publisher to send to", async () => {
    const { bridge, publisher } = harness();
    const direct = await bridge.openPublisher({ sink: {} });
    await direct.send(batchOf([new Message("a")]), signal);
    await direct.close();
    expect([publisher.texts, publisher.closed]).toEqual([["a"], 1]);
  });

  it("is a consumer to receive from", async () => {
    const { bridge, consumer } = harness({ consumer: new FakeConsumer([["a"]]) });
    const direct = await bridge.openConsumer({ source: {} });
    const delivery = await direct.receive(10, signal);
    await delivery.commit();
    await direct.close();
    expect([consumer.acked, consumer.closed]).toEqual([["a"], 1]);
  });

  it("takes what its session holds with it", async () => {
    const disposed: string[] = [];
    const { bridge } = harness({
      consumer: ({ session }) => {
        session.set("stream", { [Symbol.asyncDispose]: async () => void disposed.push("stream") });
        return new FakeConsumer();
      },
    });
    const direct = await bridge.openConsumer({ source: {} });
    await direct.close();
    await direct.close();
    expect(disposed).toEqual(["stream"]);
  });

  it("lets go of what its session holds although it cannot be closed, or not be opened", async () => {
    const disposed: string[] = [];
    const held = (name: string): AsyncDisposable => ({ [Symbol.asyncDispose]: async () => void disposed.push(name) });
    const { bridge } = harness({
      consumer: ({ session }) => {
        session.set("stream", held("closed"));
        return Object.assign(new FakeConsumer(), { close: () => Promise.reject(new Error("stuck")) });
      },
      publisher: ({ session }) => {
        session.set("stream", held("opened"));
        throw new Error("refused");
      },
    });
    await expect(bridge.openPublisher({ sink: {} })).rejects.toThrow("refused");
    const direct = await bridge.openConsumer({ source: {} });
    await expect(direct.close()).rejects.toThrow("stuck");
    expect(disposed).toEqual(["opened", "closed"]);
  });

  it("is refused with every problem when it is wrong", async () => {
    const { bridge } = harness();
    await expect(bridge.openConsumer({ sink: {}, middlewares: ["x"] })).rejects.toMatchObject({
      code: "MQB_CORE_INVALID_ENDPOINT",
      message: expect.stringMatching(
        /input\.sink: "sink" can only be an output; input\.middlewares\[0\]: unknown middleware "x"/,
      ),
    });
    await expect(bridge.openPublisher({ sink: {}, middlewares: "x" })).rejects.toThrow('"middlewares" is a list');
  });

  it("rejects with what it failed with", async () => {
    const { bridge } = harness({
      consumer: () => {
        throw new Error("refused");
      },
    });
    await expect(bridge.openConsumer({ source: {} })).rejects.toThrow("refused");
  });
});
