import { createBridge, createRegistry } from "@mqb/core";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";

const bridge = createBridge({ registry: createRegistry([standard]) });

it.each(["orders-${payload:kind}", "memory://${now:date}", "${env:TOPIC}"])(
  "a placeholder left over in a topic is an error: %s",
  (topic) => {
    const { problems } = bridge.check("r", { input: { static: "x" }, output: { memory: { topic } } });
    expect(problems).toEqual([
      expect.objectContaining({
        level: "error",
        path: ["output", "memory", "topic"],
        message: expect.stringMatching(/\$\{\w+:\w+\}.*no template/),
      }),
    ]);
  },
);
