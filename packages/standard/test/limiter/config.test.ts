import { createBridge, createRegistry } from "@mqb/core";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";

const bridge = createBridge({ registry: createRegistry([standard]) });

it.each([[0], [-5], ["fast"], [null]])("refuses a rate of %j", (messages_per_second) => {
  const middlewares = [{ limiter: { messages_per_second } }];
  const { problems } = bridge.check("r", { input: { memory: { topic: "a" }, middlewares } });
  expect(problems).toEqual([
    expect.objectContaining({
      level: "error",
      path: ["input", "middlewares", 0, "limiter", "messages_per_second"],
      message: expect.stringContaining("> 0"),
    }),
  ]);
});
