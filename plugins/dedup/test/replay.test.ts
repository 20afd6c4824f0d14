import { ACK, Message, nack, reply } from "@mqb/core/plugin";
import { FakeScope, TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { NEVER, open } from "./opened.ts";

const ANSWER = new Message(
  Buffer.from([0, 255, 10]),
  new Map([["status", "201 ä"]]),
  "00000000-0000-4000-8000-000000000009",
);

describe.each(["memory", "file"])("replay_response with %s:", (scheme) => {
  const config = (dir: TempDir, replays = true) => ({
    store: scheme === "memory" ? "memory://m" : `file://${dir.file("keys")}`,
    replay_response: replays,
  });

  it("answers a duplicate with the reply of the first, also after many, and after a reconnect", async () => {
    await using dir = await TempDir.make();
    const scope = new FakeScope();
    const first = await open(config(dir), { scope });
    first.source.push([new Message("x"), new Message("a")]);
    await (await first.consumer.receive(10, NEVER)).commit([ACK, reply(ANSWER)]);
    await first.consumer.close();

    const { source, consumer } = await open(config(dir), { scope });
    for (let round = 0; round < 1_100; round++) {
      source.push([new Message("a")]);
      await (await consumer.receive(10, NEVER)).commit();
    }
    source.push([new Message("b"), new Message("a"), new Message("x")]);
    await (await consumer.receive(10, NEVER)).commit();
    const given = source.commits.flatMap(({ dispositions }) => dispositions ?? []);
    expect(given.filter((one) => one.type === "reply")).toHaveLength(1_101);
    const [, answered, plain] = source.commits.at(-1)!.dispositions!;
    expect(plain).toEqual(ACK);
    const { message } = answered as { message: Message };
    expect([message.id, [...message.metadata], [...message.payload]]).toEqual([
      ANSWER.id,
      [...ANSWER.metadata],
      [0, 255, 10],
    ]);
    await consumer.close();
  });

  it("answers one that waited, and none whose first has failed", async () => {
    await using dir = await TempDir.make();
    const { source, consumer } = await open(config(dir));
    source.push([new Message("a"), new Message("b")]).push([new Message("a"), new Message("b")]);
    const one = await consumer.receive(10, NEVER);
    const two = await consumer.receive(10, NEVER);
    const committing = two.commit();
    await one.commit([reply(ANSWER), nack(new Error("no"))]);
    await committing;
    const last = source.commits.at(-1)!.dispositions!.map(({ type }) => type);
    expect(last).toEqual(["reply", "nack"]);
    await consumer.close();
  });

  it("is off by default: a duplicate is acked", async () => {
    await using dir = await TempDir.make();
    const { source, consumer } = await open(config(dir, false));
    source.push([new Message("a")]).push([new Message("a")]);
    await (await consumer.receive(10, NEVER)).commit([reply(ANSWER)]);
    await (await consumer.receive(10, NEVER)).commit();
    expect(source.commits[1]!.dispositions).toBeUndefined();
    await consumer.close();
  });
});
