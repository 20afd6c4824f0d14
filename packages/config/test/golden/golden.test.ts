import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { checkConfiguration, loadConfiguration, renderProblem } from "../../src/index.ts";
import { registryWithStubs } from "../stubs/registry.ts";

const folder = new URL("faults/", import.meta.url);
const files = readdirSync(folder).sort();
const ENVIRONMENT = { MANY: "many", EMPTY: "", PASSWORD: "correcthorse" };

/** Packages that are missing for one of the documents. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = { "plugin-not-installed.yaml": ["@mqb/kafka"] };

const registry = await registryWithStubs();
const others = new Map(
  await Promise.all(
    Object.entries(WITHOUT).map(async ([file, without]) => [file, await registryWithStubs(without)] as const),
  ),
);

/** What is said about a configuration, as a terminal shows it. */
function messagesOf(file: string): string {
  const text = readFileSync(new URL(file, folder), "utf8");
  const source = { name: file, text, format: "yaml" } as const;
  const { problems } = checkConfiguration(loadConfiguration([source], ENVIRONMENT), others.get(file) ?? registry, {
    concurrency: 1,
    batch_size: 1024,
  });
  return problems.map((one) => `${one.level}: ${renderProblem(one, { frame: true })}`).join("\n");
}

it("has a message for each of 60 faults", () => {
  expect(files.length).toBe(60);
  expect(files.filter((file) => messagesOf(file) === "")).toEqual([]);
});

it("reads as reviewed: after a change, read messages.txt as a user would", async () => {
  const all = files.map((file) => `# ${file.replace(".yaml", "").replaceAll("-", " ")}\n${messagesOf(file)}\n`);
  await expect(all.join("\n")).toMatchFileSnapshot("messages.txt");
});

it("holds no secret", () => {
  const all = files.map(messagesOf).join("\n");
  expect(all).not.toMatch(/hunter2secret|correcthorse/);
});
