import { type Disposition, type MqbError, nack } from "@mqb/core/plugin";
import { FakeClock, fakeContext } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { JetStreamApi } from "../src/client/jetstream-api.ts";
import { noProgress } from "../src/consumer/durable.ts";
import { PullConsumer } from "../src/consumer/pull-consumer.ts";
import type { Replier } from "../src/consumer/replying.ts";
import { errors } from "../src/errors.ts";
import { FakeConnection } from "./consumer-fakes.ts";

const LOST: MqbError = errors.LOST({ target: "test:4222", reason: "cut" });
const never = new AbortController().signal;
const ACK: Disposition = { type: "ack" };
const NACK = nack(new Error("not now"));

/** A route's memory over reconnects, and its consumers. */
class Reader {
  readonly clock = new FakeClock();
  readonly progress = noProgress();
  readonly leftOver = new Map<string, number>();

  open(): { connection: FakeConnection; consumer: PullConsumer } {
    const connection = new FakeConnection();
    const info = { name: "c", config: { ack_wait: 30e9 }, num_pending: 0 };
    const settings = {
      stream: "s",
      subject: "s.a",
      info: info as never,
      inbox: "_INBOX.i",
      reading: { streamed: true, stamps: false },
      prefetch: 100,
      replier: { failed: 0, denied: () => {} } as unknown as Replier,
      leftOver: this.leftOver,
      progress: this.progress,
    };
    const api = { consumer: async () => info } as unknown as JetStreamApi;
    const context = fakeContext({ clock: this.clock });
    return { connection, consumer: new PullConsumer(connection.shared, api, settings, context as never) };
  }
}

describe("where a consumer that is only ours begins again", () => {
  it("is the first place that was given back, also when later ones were acknowledged, until it is acknowledged", async () => {
    const reader = new Reader();
    const first = reader.open();
    for (const place of [1, 2, 3]) first.connection.give(place);
    const delivery = await first.consumer.receive(10, never);
    await delivery.commit([NACK, ACK, ACK]);
    first.connection.lose(LOST);
    await first.consumer.close();
    expect(reader.progress.next).toBe(1);

    const second = reader.open();
    second.connection.give(1);
    await (await second.consumer.receive(10, never)).commit();
    await second.consumer.close();
    expect(reader.progress.next).toBe(4);
  });

  it("is the first place that nobody has settled, over several reconnects", async () => {
    const reader = new Reader();
    const first = reader.open();
    for (const place of [4, 5, 6]) first.connection.give(place);
    await (await first.consumer.receive(1, never)).commit();
    await first.consumer.receive(1, never);
    first.connection.lose(LOST);
    await first.consumer.close();
    expect(reader.progress.next).toBe(5);

    const second = reader.open();
    second.connection.lose(LOST);
    await second.consumer.close();
    expect(reader.progress.next).toBe(5);
  });
});

describe("a consumer that is only ours", () => {
  it("is kept alive while the route is busy and asks for nothing", async () => {
    const reader = new Reader();
    const { connection, consumer } = reader.open();
    await reader.clock.advance(59_000);
    expect(connection.written).toEqual([]);
    await reader.clock.advance(10_000);
    expect(connection.written).toEqual([expect.stringMatching(/MSG\.NEXT\.s\.c [\s\S]*"max_bytes":1\D/)]);
    await consumer.close();
  });
});

describe("what could not be given back", () => {
  it.each([
    [29_000, 1],
    [31_000, 0],
  ])("is given back after %i ms to %i message(s): not after the ack wait", async (ms, count) => {
    const reader = new Reader();
    const first = reader.open();
    first.connection.give(1);
    await first.consumer.receive(10, never);
    first.connection.lose(LOST);
    await first.consumer.close();
    await reader.clock.advance(ms);
    const second = reader.open();
    expect(second.connection.written.filter((command) => command.includes("-NAK"))).toHaveLength(count);
    await second.consumer.close();
  });
});
