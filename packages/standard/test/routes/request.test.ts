import { createBridge, createRegistry } from "@mqb/core";
import { CollectingPublisher, fakePlugin, messageBatch, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { busy } from "../failures.ts";
import { NEVER } from "../opened.ts";

it("does not ask again, nor pass the question on, where an answer was wanted and the request failed", async () => {
  const asked = new CollectingPublisher();
  const parked = new CollectingPublisher();
  asked.failWhen(() => busy);
  const fakes = fakePlugin({ asked: { publisher: asked }, parked: { publisher: parked, output: { replies: false } } });
  const bridge = createBridge({ registry: createRegistry([standard, fakes]) });
  // A fanout answers because one of its legs does: the other one must not be sent the question.
  const next = { fanout: [{ parked: {} }, { response: {} }] };
  const route = bridge.route("r", {
    input: { memory: { topic: "ask" } },
    output: { request: { to: { asked: {} }, forward_to: next } },
  });
  await route.start();
  const asking = await bridge.openPublisher({ memory: { topic: "ask", request_reply: true } });
  const outcomes = await within(asking.send(messageBatch(1), NEVER), "the failure");
  expect(outcomes).toEqual([expect.objectContaining({ type: "failed" })]);
  expect([asked.sends.length, parked.sends.length]).toEqual([1, 0]);
  await bridge.stop();
});
