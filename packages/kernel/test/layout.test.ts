import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CFG, DELIMITER, FLAG, RES, SLOT_STRIDE, STATUS } from "../src/layout.ts";

/** `export const NAME: type = value;` of the AssemblyScript side. */
function constants(): Map<string, number> {
  const text = readFileSync(new URL("../assembly/layout.ts", import.meta.url), "utf8");
  const found = text.matchAll(/^export const (\w+): \w+ = ([\d *+]+);/gm);
  return new Map(Array.from(found, ([, name, value]) => [name!, evaluate(value!)]));
}

/** Sums of products, which is all that the file has. */
function evaluate(text: string): number {
  return text
    .split("+")
    .reduce((sum, term) => sum + term.split("*").reduce((product, factor) => product * Number(factor), 1), 0);
}

const upper = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

describe("both twins", () => {
  it("use the same addresses, statuses and flags", () => {
    const assembly = constants();
    const script = new Map<string, number>([
      ["STRIDE", SLOT_STRIDE],
      ["DELIMITER", DELIMITER],
      ...Object.entries(RES).map(([name, word]) => [`RES_${upper(name)}`, word * 4] as const),
      ...Object.entries(CFG).map(([name, word]) => [`CFG_${upper(name)}`, word * 4] as const),
      ...Object.entries(STATUS).map(([name, value]) => [`STATUS_${upper(name)}`, value] as const),
      ...Object.entries(FLAG).map(([name, value]) => [`FLAG_${upper(name)}`, value] as const),
    ]);
    const shared = [...assembly].filter(([name]) => /^(RES|CFG|STATUS|FLAG|STRIDE|DELIMITER)/.test(name));
    expect(shared.length).toBeGreaterThan(30);
    expect(shared.map(([name]) => [name, script.get(name)])).toEqual(shared);
  });
});
