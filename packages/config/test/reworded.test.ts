import { describe, expect, it } from "vitest";
import { unitHint } from "../src/fields/unit.ts";
import { checkConfiguration, loadConfiguration, renderProblem } from "../src/index.ts";
import { registryWithStubs } from "./stubs/registry.ts";

const registry = await registryWithStubs();

function linesOf(text: string, format: "yaml" | "json" = "yaml"): string[] {
  const loaded = loadConfiguration([{ name: "c", text, format }], {});
  const { problems } = checkConfiguration(loaded, registry, { concurrency: 1, batch_size: 1024 });
  return problems.map((one) => renderProblem(one));
}

const route = (fields: string, more = ""): string => `${more}r: {input: {memory: {topic: in}}, ${fields}}`;

describe("a number with a unit", () => {
  it.each([
    ["30s", "timeout_ms", '"timeout_ms" is in milliseconds: write 30000'],
    ["1.5 m", "timeout_ms", '"timeout_ms" is in milliseconds: write 90000'],
    ["2h", "ttl_seconds", '"ttl_seconds" is in seconds: write 7200'],
    ["1D", "idle_secs", '"idle_secs" is in seconds: write 86400'],
    ["250ms", "idle_secs", '"idle_secs" is in seconds: write the number alone'],
    ["64KiB", "max_bytes", '"max_bytes" is in bytes: write 65536'],
    ["1MB", "max_bytes", '"max_bytes" is in bytes: write 1000000'],
    ["5s", "max_bytes", '"max_bytes" is in bytes: write the number alone'],
    ["5s", "batch", "write the number alone"],
    ["many", "timeout_ms", undefined],
    ["5 apples", "timeout_ms", undefined],
  ])("%s in %s", (text, field, hint) => {
    expect(unitHint(text, field)).toBe(hint);
  });

  it("is told for options of the route, too", () => {
    expect(linesOf(route("startup_timeout_ms: 5s"))).toEqual([
      expect.stringMatching(/not "5s"; "startup_timeout_ms" is in milliseconds: write 5000$/),
    ]);
  });
});

describe("a quote that is not closed", () => {
  it.each([
    ['a: "x"\nb: {c: "in.jsonl}\nd: 1\n', "c:2:8", '"'],
    ["a: 'x'\nb: 'in.jsonl\n", "c:2:4", "'"],
  ])("is told where it opens: %j", (text, place, quote) => {
    expect(linesOf(text)).toEqual([
      `${place}: not YAML: the quote ${quote} that opens here is never closed; add the closing ${quote}`,
    ]);
  });

  it("is told in JSON, and behind a variable", () => {
    expect(linesOf('{"a": "x}', "json")).toEqual([expect.stringMatching(/^c:1:7: not JSON: the quote "/)]);
    expect(linesOf('a: {b: ${B:-c}, d: "x}')).toEqual([expect.stringMatching(/^c:1:20: not YAML: the quote "/)]);
  });
});

describe("a reference to a publisher that is not there", () => {
  it("gets the near name, or those that there are and the way to add one", () => {
    const publishers = "publishers: {archive: {memory: {topic: a}}}\n";
    expect(linesOf(route("output: {ref: archiv}", publishers))).toEqual([
      expect.stringMatching(/ r\.output\.ref: there is no publisher "archiv"; did you mean "archive"\?$/),
    ]);
    expect(linesOf(route("output: {ref: letters}", publishers))).toEqual([
      expect.stringMatching(/; known: archive; add it at the top level: publishers: \{ letters: \{ … \} \}$/),
    ]);
    expect(linesOf(route("output: {ref: letters}", "publishers: {letters: {memory: {topic: a}}}\n"))).toEqual([]);
  });
});

describe("required_delivery", () => {
  it.each([
    ["exactly_once", 'not "exactly_once"; did you mean "effectively_once"?'],
    ["at_least_onc", 'not "at_least_onc"; did you mean "at_least_once"?'],
    ["always", 'not "always"'],
  ])("says what is meant by %s", (value, words) => {
    const [line] = linesOf(route(`required_delivery: ${value}`));
    expect(line!.endsWith(words)).toBe(true);
  });

  it("names the setting that would give it only where there is one", () => {
    expect(linesOf(route("required_delivery: at_least_once"))).toEqual([
      expect.stringMatching(/; set enable_nack: true on the input, or remove required_delivery$/),
    ]);
    const followed = "r: {input: {memory: {topic: in, subscribe_mode: true}}, required_delivery: at_least_once}";
    expect(linesOf(followed)).toEqual([expect.stringMatching(/; ask for at_most_once, or remove required_delivery$/)]);
    const nacked = "r: {input: {memory: {topic: in, enable_nack: true}}, required_delivery: at_least_once}";
    expect(linesOf(nacked)).toEqual([]);
  });
});

describe("a name that nobody knows", () => {
  it("is near to one that is not installed, too, or gets no list of all", async () => {
    const without = await registryWithStubs(["@mqb/zeromq"]);
    const text = "r: {input: {zermq: {}}, output: {nosuchthing: {}}}";
    const loaded = loadConfiguration([{ name: "c", text, format: "yaml" }], {});
    const { problems } = checkConfiguration(loaded, without, { concurrency: 1, batch_size: 1 });
    expect(problems.map(({ hint }) => hint)).toEqual([
      'did you mean "zeromq"?',
      "neither mqb nor a known plugin has it; see docs/reference for the endpoints",
    ]);
  });
});

it("two endpoints of an output may be the legs of a fanout", () => {
  expect(linesOf(route("output: {memory: {topic: a}, file: {path: b}}"))).toEqual([
    expect.stringMatching(/; keep one, or write a route for each, or list both under fanout$/),
  ]);
});

it("a required field that is missing beside an unrelated unknown one is told", () => {
  expect(linesOf(route("output: {file: {zzzzzz: 1}}"))).toEqual([
    expect.stringMatching(/needs the field "path"$/),
    expect.stringMatching(/has no field "zzzzzz"/),
  ]);
});
