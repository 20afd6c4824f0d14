import { describe, expect, it } from "vitest";
import { checkConfiguration, loadConfiguration } from "../src/index.ts";
import { fakeRegistry } from "./fake-plugin.ts";

const DEFAULTS = { concurrency: 1, batch_size: 512 };

function excerpts(text: string, format: "json" | "yaml") {
  const configuration = loadConfiguration([{ name: `c.${format}`, text, format }], {});
  const { problems } = checkConfiguration(configuration, fakeRegistry(), DEFAULTS);
  return problems.flatMap(({ excerpt }) => (excerpt ? [excerpt] : []));
}

const SECRET = "HIDDENPASSWORD1";
const many = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`V${index}`, `value${index}`])));

describe("the line of a problem", () => {
  it.each([10, 1200, 5000])("hides every value of it, also in front of %i others", (count) => {
    const input = `{"db":{"url":"x","password":"${SECRET}","url":"dup"}}`;
    const shown = excerpts(`{"routes":{"a":{"input":${input}}},"env_vars":${many(count)}}`, "json");
    expect(shown).not.toEqual([]);
    expect(JSON.stringify(shown)).not.toMatch(/HIDDEN|value\d/);
  });

  it("is cut around the place when it is long, with the mark where it was", () => {
    const all = excerpts(`{"env_vars":${many(3000)},"routes":{"a":{"wrong":1}},"x-a":${many(3000)}}`, "json");
    const shown = all.find(({ line, column }) => line.startsWith('"wrong"', column));
    expect(shown!.line.length).toBeLessThan(1100);
    expect(shown!.line).toMatch(/^….*…$/);
    expect(shown!.length).toBe('"wrong"'.length);
  });
});
