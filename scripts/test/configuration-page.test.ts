import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { configurationPage } from "../generate/configuration-page.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const schema = JSON.parse(readFileSync(`${root}docs/reference/mqb.schema.json`, "utf8"));
const page = configurationPage(schema);
const section = (title: string): string => page.split(`## ${title}`)[1]!.split("\n## ")[0]!;

it.each(Object.keys(schema.$defs.route.properties))(
  "the option %s of a route has a row, without a word of variables",
  (name) => {
    const row = new RegExp(`^\\| \`${name}\` \\| (.+?) \\| (.*?) \\| \\S.* \\|$`, "m").exec(
      section("Options of a route"),
    );
    expect(row?.[1]).toBeDefined();
    expect(row![1]).not.toMatch(/any|null|variable/);
  },
);

it.each(Object.keys(schema.$defs.document.properties))("the key %s of the top level has a row", (name) => {
  expect(section("Keys of the top level")).toContain(`| \`${name}\` |`);
});

it("an option has its range and its default", () => {
  expect(section("Options of a route")).toContain("| `concurrency` | integer, 1 to 1000000 | `1` |");
});
