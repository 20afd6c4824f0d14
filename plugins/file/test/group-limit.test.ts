import { createBridge, createRegistry } from "@mqb/core";
import { TempDir } from "@mqb/testkit";
import { expect, it } from "vitest";
import plugin from "../src/index.ts";
import { lines } from "./support.ts";

it("a run with a limit moves the position no further than what it has delivered: the next one goes on with row 11", async () => {
  await using dir = await TempDir.make();
  await dir.write("in.txt", lines(1, 31));
  const input = { file: { path: "in.txt", format: "raw", mode: "group_subscribe", group_id: "g" } };
  const run = async (to: string, limit?: number) => {
    const bridge = createBridge({ registry: createRegistry([plugin]), baseDir: dir.path });
    const config = { input, output: { file: { path: to, format: "raw" } }, batch_size: 7, exit_on_empty: true };
    const route = bridge.route("r", config, limit === undefined ? {} : { limit });
    await route.start();
    return await route.done;
  };
  expect(await run("first.txt", 10)).toMatchObject({ outcome: "completed", accounting: { delivered: 10 } });
  expect(await dir.read("first.txt")).toBe(lines(1, 11));
  expect(await run("second.txt")).toMatchObject({ outcome: "completed", accounting: { delivered: 20 } });
  expect(await dir.read("second.txt")).toBe(lines(11, 31));
});
