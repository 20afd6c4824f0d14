import { ACCEPTED, Message } from "@mqb/core/plugin";
import { messageBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { busy, cut } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { setUp } from "./setup.ts";

it("does not open where the asked endpoint is out of reach and somebody wants the answers", async () => {
  const { down, open, opened } = await setUp();
  down.error = cut;
  await expect(open()).rejects.toBe(cut);
  expect(opened).toEqual(["to"]);
});

it("opens without it where the answers are discarded, and opens it later", async () => {
  const { to, down, open, opened, clock, context } = await setUp({ discards: true });
  down.error = cut;
  const publisher = await open();
  expect(publisher.status!()).toMatchObject({ healthy: true, details: { to: { healthy: false } } });
  // Not with every batch, while it stays away.
  for (let n = 0; n < 5; n++) expect(await publisher.send(messageBatch(1), NEVER)).toBeUndefined();
  expect(opened).toEqual(["to", "forward_to", "to"]);
  expect(context.log.at("warn")).toEqual([
    expect.stringMatching(/output\.request\.to cannot be opened/),
    expect.stringContaining("the failures are discarded"),
  ]);
  delete down.error;
  await clock.advance(1_000);
  expect(await publisher.send(messageBatch(1, { from: 9 }), NEVER)).toBeUndefined();
  expect(texts(to.messages)).toEqual(["message 9"]);
});

it("discards failures and answers of every kind", async () => {
  const { to, forward, open } = await setUp({ discards: true });
  const publisher = await open();
  to.failAt([0], busy);
  to.replyWith((message) => message);
  expect(await publisher.send(messageBatch(2), NEVER)).toBeUndefined();
  to.rejectNext(new Error("not an error of mqb"));
  expect(await publisher.send(messageBatch(2), NEVER)).toBeUndefined();
  expect(forward.sends).toEqual([]);
});

it("is still refused where the answers are discarded, when it is the configuration that is wrong", async () => {
  const { down, open } = await setUp({ discards: true });
  const { failures } = await import("../failures.ts");
  down.error = failures.CONFIG({});
  await expect(open()).rejects.toBe(down.error);
});

it("opens the asked endpoint again when its connection is cut, after those who still use it", async () => {
  const { to, forward, open, opened } = await setUp();
  const publisher = await open();
  to.replyWith((message) => new Message(`re: ${message.text()}`));
  to.stall();
  const before = publisher.send(messageBatch(1), NEVER);
  await to.sent(1);
  const stalled = to.send.bind(to);
  to.send = async () => {
    to.send = stalled;
    throw cut;
  };
  expect(await publisher.send(messageBatch(1, { from: 1 }), NEVER)).toEqual([ACCEPTED]);
  expect(to.closes).toBe(0);
  to.release();
  await before;
  expect(to.closes).toBe(1);
  expect(texts(forward.messages)).toEqual(["message 1", "re: message 0"]);
  await publisher.send(messageBatch(1, { from: 2 }), NEVER);
  expect(opened).toEqual(["to", "forward_to", "to"]);
});

it("closes what is opened late, and opens nothing after its close", async () => {
  const { to, down, open, opened, clock } = await setUp({ discards: true });
  down.error = cut;
  const publisher = await open();
  delete down.error;
  const sending = publisher.send(messageBatch(1), NEVER);
  await publisher.close();
  await sending;
  expect(to.closes).toBe(1);
  await clock.advance(5_000);
  expect(await publisher.send(messageBatch(1), NEVER)).toBeUndefined();
  expect(opened).toEqual(["to", "forward_to", "to"]);
});
