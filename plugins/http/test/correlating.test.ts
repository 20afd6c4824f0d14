import { createBridge, createRegistry } from "@mqb/core";
import standard from "@mqb/standard";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { ANY_PORT, ask, portOf } from "./support.ts";

describe("a hundred clients at once", () => {
  it("each get the answer to their own request, through a topic and another route", async () => {
    const bridge = createBridge({ registry: createRegistry([plugin, standard]) });
    const back = bridge.route("back", {
      input: { memory: { topic: "questions" } },
      output: { static: { body: "answer to ${message:payload}", raw: true } },
      concurrency: 4,
      batch_size: 3,
    } as never);
    const front = bridge.route("front", {
      input: { http: { url: ANY_PORT } },
      output: { memory: { topic: "questions", request_reply: true } },
      concurrency: 8,
      batch_size: 5,
    } as never);
    await back.start();
    await front.start();
    const url = `http://127.0.0.1:${portOf(front)}/`;
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => ask(url, { body: `question ${n}` })));
    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 100 }, (_, n) => `answer to question ${n}`));
    await front.stop();
    await back.stop();
  });

  it("are told when the one that should answer is gone", async () => {
    const bridge = createBridge({ registry: createRegistry([plugin, standard]) });
    const front = bridge.route("front", {
      input: { http: { url: ANY_PORT } },
      output: { memory: { topic: "nobody", request_reply: true, request_timeout_ms: 30 } },
    } as never);
    await front.start();
    expect((await ask(`http://127.0.0.1:${portOf(front)}/`)).status).toBe(500);
    await front.stop();
  });
});
