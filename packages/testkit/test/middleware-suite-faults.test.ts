import { Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { type MiddlewareUnderTest, testMiddleware } from "../src/index.ts";
import type { MiddlewareFault } from "./faults/middleware-fault.ts";
import { inputFaults } from "./faults/middleware-input-faults.ts";
import { outputFaults } from "./faults/middleware-output-faults.ts";
import { routeFaults } from "./faults/middleware-route-faults.ts";
import { CapturedRunner } from "./support/captured-runner.ts";
import { middlewarePlugin } from "./support/middlewares.ts";

const removed = (n: number): Message => new Message(`unwanted ${n}`);

describe("the suite of middlewares finds", () => {
  for (const [name, fault] of Object.entries({ ...inputFaults, ...outputFaults, ...routeFaults })) {
    it(`one that ${name}`, async () => {
      const runner = new CapturedRunner();
      testMiddleware(runner, underTest(fault));
      const names = runner.named(fault.scenario);
      expect(names).toHaveLength(1);
      expect(await runner.failure(names[0]!)).toBeInstanceOf(Error);
    });
  }
});

function underTest(fault: MiddlewareFault): MiddlewareUnderTest {
  if ("plugin" in fault) return { plugin: fault.plugin, middleware: "mw" };
  const { removes } = fault;
  const sides = "input" in fault ? { input: fault.input } : { output: fault.output };
  const plugin = middlewarePlugin(sides);
  const tested = { plugin, middleware: "mw", patienceMs: 100 };
  return removes ? { ...tested, removed, looksInside: true } : tested;
}
