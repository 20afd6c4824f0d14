import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runProcess, within } from "../src/index.ts";

const MINUTE = 60_000;

describe("under node:test", { timeout: MINUTE }, () => {
  it("the suites pass", async () => {
    await using child = nodeTest({});
    const { code } = await within(child.ended, "the end of the tests", MINUTE);
    expect(child.stdout).toMatch(/^# fail 0$/m);
    expect(Number(/^# pass (\d+)$/m.exec(child.stdout)?.[1])).toBeGreaterThan(60);
    expect(code).toBe(0);
  });

  it("a fault fails", async () => {
    await using child = nodeTest({ BROKEN: "1" });
    const { code } = await within(child.ended, "the end of the tests", MINUTE);
    expect(child.stdout).toMatch(/^\s*not ok \d+ - a message that is sent twice is stored once$/m);
    expect(code).toBe(1);
  });
});

function nodeTest(env: Record<string, string>): ReturnType<typeof runProcess> {
  const file = fileURLToPath(new URL("support/under-node-test.ts", import.meta.url));
  return runProcess({
    args: ["--conditions=@mqb/source", "--import", "tsx", "--test", "--test-reporter=tap", file],
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    // A runner inside of a runner: the inner one must not take itself for a part of the outer.
    env: { ...env, NODE_OPTIONS: undefined, NODE_TEST_CONTEXT: undefined },
  });
}
