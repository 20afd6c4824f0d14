import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const source = new URL("../src/", import.meta.url);
const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const linesOf = (file: string): string[] => readFileSync(new URL(file, source), "utf8").split("\n");

it("core stays small: about 3000 lines without blank ones and comments", () => {
  const code = files.flatMap(linesOf).filter((line) => !/^\s*(\/\/|\/?\*|$)/.test(line));
  expect(code.length).toBeLessThan(3100);
});

it("no file of core is long", () => {
  const long = files.filter((file) => linesOf(file).length > 400);
  expect(long).toEqual([]);
});

it("core imports nothing but Node's own modules and itself", () => {
  const foreign = files.flatMap((file) =>
    [
      ...linesOf(file)
        .join("\n")
        .matchAll(/from "([^"]+)"/g),
    ]
      .map(([, name]) => name!)
      .filter((name) => !name.startsWith("node:") && !name.startsWith(".")),
  );
  expect(foreign).toEqual([]);
});
