import { describe, expect, it } from "vitest";
import { type Configuration, loadConfiguration, renderProblem } from "../src/index.ts";

function load(text: string, options: { json?: boolean; environment?: Record<string, string> } = {}): Configuration {
  const source = {
    name: options.json ? "c.json" : "c.yml",
    text,
    format: options.json ? ("json" as const) : ("yaml" as const),
  };
  return loadConfiguration([source], options.environment ?? {});
}

function lines(configuration: Configuration): string[] {
  return configuration.problems.map((problem) => renderProblem(problem));
}

/** The input of the one route. */
function input(text: string, environment?: Record<string, string>): unknown {
  const { routes } = load(text, environment ? { environment } : {});
  return (routes[0]!.config as { input: unknown }).input;
}

describe("the text of a configuration", () => {
  it("may be empty", () => {
    expect(load("")).toMatchObject({ routes: [], problems: [] });
    expect(load("# nothing yet\n")).toMatchObject({ routes: [], problems: [] });
  });

  it("refuses a key written twice, by name and place", () => {
    expect(lines(load("r: {input: {null: {}}}\nr: {input: {null: {}}}"))).toEqual([
      'c.yml:2:1 r: the route "r" is written twice, first on line 1; rename one of them',
    ]);
    expect(lines(load('{"routes":{},\n "routes":{}}', { json: true }))).toEqual([
      'c.json:2:2 routes: the key "routes" is written twice in one map, first on line 1; remove one of them',
    ]);
  });

  it("lists every line that is no YAML, once", () => {
    const found = lines(load("a: [1\nb: }\nc: 1"));
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found.map((line) => line.split(":")[1])).size).toBe(found.length);
    expect(found[0]).toMatch(/^c\.yml:2:\d+: not YAML: /);
  });

  it("takes JSON strictly", () => {
    expect(lines(load('{"log_level": "info",}', { json: true }))[0]).toMatch(/^c\.json:1:\d+: not JSON: /);
    expect(lines(load("# c\n{}", { json: true }))[0]).toMatch(/not JSON/);
    expect(load('{"log_level": "debug"}', { json: true })).toMatchObject({
      settings: { logLevel: "debug" },
      problems: [],
    });
  });

  it.each([
    `{"password": 'hunter2'}`,
    '{"password": hunter2}',
    '{"password": "hunter2" "x"}',
    '{"a": nul, "password": "hunter2"}',
  ])("quotes nothing of %s, which is no JSON: it may be a secret", (text) => {
    const [line] = lines(load(text, { json: true }));
    expect(line).toMatch(/^c\.json:1:\d+: not (JSON|YAML): /);
    expect(line).not.toMatch(/hunt/);
  });

  it("merges with << and lets written members win", () => {
    const text = "x: &base {path: a, format: raw}\nr:\n  input:\n    file: {<<: *base, path: b}\n";
    expect(input(text)).toEqual({ file: { path: "b", format: "raw" } });
  });

  it("stops aliases that stand inside themselves or multiply", () => {
    expect(lines(load("a: &a [*a]"))[0]).toMatch(/^c\.yml:1:8 a\[0\]: an alias stands inside its own anchor/);
    const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(",")}]`);
    const bomb = ["l0: &l0 [x]", ...levels].join("\n");
    expect(lines(load(bomb))).toEqual([
      expect.stringMatching(/there are more than 100000 values; anchors and aliases count each time/),
    ]);
    expect(lines(load(`a: ${"[".repeat(200)}${"]".repeat(200)}`))).toEqual([
      expect.stringMatching(/nested more than 100 deep/),
    ]);
  });

  it("takes the key null in every spelling", () => {
    expect(load("r: {input: {static: x}, output: {null: {}}}").routes[0]!.config).toMatchObject({
      output: { null: {} },
    });
    expect(load('r: {input: {static: x}, output: {"null": null}}').routes[0]!.config).toMatchObject({
      output: { null: null },
    });
  });

  it("refuses the key __proto__", () => {
    expect(lines(load('r: {input: {"__proto__": {polluted: true}}}'))).toEqual([
      expect.stringMatching(/a key cannot be called __proto__/),
    ]);
  });
});

describe("variables in a configuration", () => {
  const route = (path: string): string => `r:\n  input: {file: {path: ${path}}}\n`;

  it("come from the environment, then from env_vars, and stay as written when unknown", () => {
    const text = `env_vars: {A: from-file, B: b}\n${route('"$A ${B} ${C}"')}`;
    const configuration = load(text, { environment: { A: "from-env" } });
    expect(configuration.routes[0]!.config).toEqual({ input: { file: { path: "from-env b ${C}" } } });
    expect(lines(configuration)).toEqual([
      "c.yml:3:24 r.input.file.path: the variable C is not set, so ${C} is used literally; set it, or give a default: ${C:-…}",
    ]);
  });

  it("take a default when absent or empty", () => {
    expect(input(route('"${A:-x}${B:-y}${C:-}"'), { B: "" })).toEqual({ file: { path: "xy" } });
  });

  it("do not matter in comments", () => {
    expect(lines(load(`# \${NOT_SET} {\n${route("a")}# \${NOT_SET:-}`))).toEqual([]);
  });

  it("leave templates, their escapes and operators of query languages alone", () => {
    const text = '"${payload:n} $${HOME} {$match: $1} $"';
    expect(input(route(text), { HOME: "/h", payload: "p" })).toEqual({ file: { path: text.slice(1, -1) } });
    expect(lines(load(route('"$sum"')))).toEqual([]);
  });

  it("never change the structure, whatever they hold", () => {
    expect(input(route("$EVIL"), { EVIL: "a}, other: {x: 1" })).toEqual({ file: { path: "a}, other: {x: 1" } });
    expect(input("r:\n  input: {file: {path: ${EVIL}}}\n", { EVIL: "a}\nother: {x: 1}" })).toEqual({
      file: { path: "a}\nother: {x: 1}" },
    });
  });

  it("may stand without quotes inside { }, though that is no YAML; for env_vars, quotes are needed there", () => {
    const text = 'env_vars: {B: b}\nr:\n  input: {file: {path: ${A:-in}, copy: "${B}", n: ${N}}}\n';
    const configuration = load(text, { environment: { N: "5" } });
    expect(configuration.routes[0]!.config).toEqual({ input: { file: { path: "in", copy: "b", n: "5" } } });
    expect(lines(configuration)).toEqual([]);
    expect(lines(load("r:\n  input: {file: {path: ${A}.jsonl}}\n"))).toEqual([
      expect.stringMatching(/^c\.yml:2:\d+: not YAML: .*; put the value with \$\{A\} in quotes$/),
    ]);
  });

  it("are put into keys too", () => {
    expect(load("routes:\n  ${NAME:-a}-b: {input: {x: {}}}", {}).routes.map((one) => one.name)).toEqual(["a-b"]);
  });
});
