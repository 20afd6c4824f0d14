import { describe, expect, it } from "vitest";
import { loadConfiguration, parseUri } from "../src/index.ts";
import { growth, MOST, PATIENCE_MS } from "./growth.ts";

describe("a URI is read in time proportional to its length", () => {
  it.each([
    ["schemes", "a://", ""],
    ["schemes before an @", "a://", "@"],
    ["URLs with ports before an @", "a://h:1/x/", "?m=a@b"],
    ["passwords with a pipe", "a://u:p|q@h?x=", ""],
    ["an open text in a literal", '\\"', ""],
    ["open references", "${A:-", ""],
    ["variables", "$A", ""],
    ["codes", "%2", ""],
    ["colons", ":", ""],
    ["hosts", "h:1,", "@"],
    ["marks", "#?=", "@"],
    ["middlewares", "|a", ""],
    ["parameters", "a=b&", ""],
  ])(
    "of %s",
    (_, unit, tail) => {
      const read = (start: string) => (text: string) => {
        try {
          parseUri(start + text, "input", { A: "" });
        } catch {
          // What it says about it is not asked here.
        }
      };
      expect(growth(read("http://"), unit, tail)).toBeLessThan(MOST);
      expect(growth(read('file:x?csv={"'), unit, tail)).toBeLessThan(MOST);
    },
    PATIENCE_MS,
  );
});

describe("a configuration is read in time proportional to its length", () => {
  it.each([
    ["open references", "${A:-", ""],
    ["open references before a brace", "${A:-", "}"],
    ["variables", "$A", ""],
    ["URLs", "a://u:p@h?x=", ""],
    ["one word", "a", ""],
  ])(
    "of %s",
    (_, unit, tail) => {
      const read = (text: string) => {
        const source = { name: "c.yml", text: `routes:\n  r:\n    description: '${text}'\n`, format: "yaml" as const };
        loadConfiguration([source], {});
      };
      expect(growth(read, unit, tail)).toBeLessThan(MOST);
    },
    PATIENCE_MS,
  );
});

it("a configuration is read in time proportional to how many references it holds", () => {
  const read = (references: string) => {
    const text = `x-a: { z: [${references}] }\n`;
    loadConfiguration([{ name: "c.yml", text, format: "yaml" }], {});
  };
  expect(growth(read, "${A:-1}, ", "1")).toBeLessThan(MOST);
}, 120_000);
