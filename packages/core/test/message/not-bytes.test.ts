import { describe, expect, it } from "vitest";
import { batchOf } from "../../src/message/batch.ts";
import { Message } from "../../src/message/message.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { harness } from "../fakes/harness.ts";
import { until } from "../fakes/until.ts";

/** What a plugin in JavaScript may take for a payload. */
const WRONG: readonly (readonly [what: string, payload: unknown])[] = [
  ["a number", 3],
  ["a bigint", 3n],
  ["a boolean", true],
  ["null", null],
  ["nothing", undefined],
  ["a map", { a: 1 }],
  ["a list", [1, 2]],
  ["a map", new DataView(new ArrayBuffer(1))],
  ["a map", new Float64Array(1)],
  ["a map", new ArrayBuffer(1)],
];
const make = (payload: unknown): Message => new Message(payload as Uint8Array);

describe("a payload that is neither bytes nor a text", () => {
  it.each(WRONG)("is refused with a code where the message is made: %s", (what, payload) => {
    const error = expect.objectContaining({
      code: "MQB_CORE_NOT_BYTES",
      kind: "permanent",
      message: `the payload of a message is bytes or a text, not ${what}`,
    });
    expect(() => make(payload)).toThrow(error);
    if (payload !== undefined && payload !== null)
      expect(() => new Message("a").with({ payload: payload as Uint8Array })).toThrow(error);
  });

  it.each([Buffer.from("ab"), new Uint8Array([97, 98]), "ab"])("others are taken: %s", (payload) => {
    expect(new Message(payload).text()).toBe("ab");
  });

  it("ends the route of a source that makes it, instead of stopping it for ever", async () => {
    const consumer = new FakeConsumer([["a"], () => ({ batch: batchOf([make(3)]), commit: async () => {} })]);
    const { route, clock } = harness({ consumer });
    await route.start();
    expect(await clock.run(route.done)).toMatchObject({ outcome: "failed", error: { code: "MQB_CORE_NOT_BYTES" } });
    expect(consumer.acked).toEqual(["a"]);
  });

  it("drops the one message that a handler makes of it", async () => {
    const consumer = new FakeConsumer([["a", "b", "c"]]);
    const handler = (message: Message): Message => (message.text() === "b" ? make(3) : message);
    const { route, clock, publisher } = harness({ consumer, run: { handler } });
    await route.start();
    await until(() => consumer.commits.length === 1);
    expect(publisher.texts).toEqual(["a", "c"]);
    expect(route.status().drops).toMatchObject([{ code: "MQB_CORE_NOT_BYTES", count: 1 }]);
    await clock.run(route.stop());
  });
});
