import { loadConfiguration } from "@mqb/config";
import { expect, it } from "vitest";
import { prepareRun } from "../src/run/prepare.ts";

const prepare = (text: string) => {
  const configuration = loadConfiguration([{ name: "c.yml", text, format: "yaml" }], {});
  return prepareRun({ configuration, folder: "/", name: "c.yml", files: [] }, [], false);
};

it("a route that writes no options keeps the order of its messages: one batch at a time, of at most 512", async () => {
  const { routes } = await prepare("r: { input: { memory: { topic: a } } }");
  expect(routes[0]!.plan!.options).toMatchObject({ concurrency: 1, batchSize: 512 });
});
