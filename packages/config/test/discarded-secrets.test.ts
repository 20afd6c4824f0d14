import { createRegistry } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { describe, expect, it } from "vitest";
import { checkConfiguration, loadConfiguration, renderProblem } from "../src/index.ts";

const registry = createRegistry([standard, file]);

function shown(text: string, format: "yaml" | "json" = "yaml", environment: Record<string, string> = {}): string {
  const configuration = loadConfiguration([{ name: "c", text, format }], environment);
  const { problems } = checkConfiguration(configuration, registry, { concurrency: 1, batch_size: 512 });
  expect(problems.length).toBeGreaterThan(0);
  return problems.map((one) => renderProblem(one, { frame: true })).join("\n");
}

const route = (encryption: string): string =>
  `r:\n  input: { file: { path: in.txt, encryption: ${encryption} } }\n  output: { file: { path: o } }\n`;

describe("a secret that is written and is no part of what the text means", () => {
  it.each([
    ["the second of two keys", route("{ key: A, key: MARKER }")],
    [
      "on a line of its own",
      "r:\n  input:\n    file:\n      path: i\n      encryption:\n        key: A\n        key: MARKER\n",
    ],
    ["what a merge brings and the map replaces", route("{ <<: { key: MARKER }, key: K, nope: 1 }")],
    ["what an earlier merge replaces", route("{ <<: [{ key: K2 }, { key: MARKER }], nope: 1 }")],
    ["a merge of what is no map", route("{ <<: MARKER, key: x }")],
    ["under a key that is refused", route("{ __proto__: MARKER, key: x }")],
    ["under a key that is a list", route("{ key: x, [b]: MARKER }")],
    ["beside an alias", route("{ decrypt_keys: { a: &k X, b: *k, b: MARKER } }")],
    [
      "behind more values than are looked at",
      `x-a: &a [${"1,".repeat(400)}]\nx-b: [${"*a,".repeat(300)}]\n${route("{ key: MARKER, key: MARKER }")}`,
    ],
  ])("%s is not shown", (_, text) => {
    expect(shown(text)).not.toContain("MARKER");
  });

  it("is not shown of JSON either", () => {
    expect(
      shown('{"r": {"input": {"file": {"path": "i", "encryption": {"key": "A", "key": "MARKER"}}}}}', "json"),
    ).not.toContain("MARKER");
  });
});

describe("a text where a map with secrets belongs", () => {
  it.each([["MARKER"], ['"${K}"'], ['\'{"key":"MARKER"\'']])("is not quoted: %s", (written) => {
    const text = shown(route(written), "yaml", { K: "MARKER" });
    expect(text).not.toContain("MARKER");
    expect(text).toContain('"encryption" of "file" takes a map, not a text');
  });
});
