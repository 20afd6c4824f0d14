import { describe, expect, it } from "vitest";
import { checkConfiguration, loadConfiguration, renderProblem } from "../src/index.ts";
import { fakeRegistry } from "./fake-plugin.ts";
import { checkText, DEFAULTS } from "./support-load.ts";

const field = (text: string): string[] =>
  checkText(`r: {input: {file: {path: p, ${text}}}}`).lines.map((line) => line.replace(/^\S+ \S+: /, ""));

describe("a value that does not fit", () => {
  it.each([
    ["path: 7", '"path" of "file" takes a text, not the number 7; write "7"'],
    ["path: true", '"path" of "file" takes a text, not true; write "true"'],
    ["path: [a]", '"path" of "file" takes a text, not a list'],
    ["path: null", '"path" of "file" takes a text, not nothing (null)'],
    ["batch: 1.5", '"batch" of "file" takes a whole number, not 1.5'],
    ['batch: "5"', '"batch" of "file" takes a whole number, not "5"; write it without quotes'],
    ["batch: 5s", '"batch" of "file" takes a whole number, not "5s"; write the number alone'],
    ["delete: yes", '"delete" of "file" takes true or false, not "yes"; write true'],
    ["delete: 'off'", '"delete" of "file" takes true or false, not "off"; write false'],
    ["format: csvv", '"format" of "file" takes normal, raw or csv, not "csvv"; did you mean "csv"?'],
    ["format: RAW", '"format" of "file" takes normal, raw or csv, not "RAW"; did you mean "raw"?'],
    ["source: maybe", '"source" of "file" takes true, false or auto, not "maybe"'],
    ["csv: raw", '"csv" of "file" takes a map, not "raw"'],
    ["columns: a", '"columns" of "file" takes a list, not "a"; write it as a list: [ … ]'],
    ["csv: {separator: 1}", '"csv.separator" of "file" takes a text, not the number 1; write "1"'],
  ])("%s: says what was written and what is taken", (text, message) => {
    const lines = text.startsWith("path") ? checkText(`r: {input: {file: {${text}}}}`).lines : field(text);
    expect(lines.map((line) => line.replace(/^\S+ \S+: /, ""))).toEqual([message]);
  });

  it("shows nothing of a secret", () => {
    expect(field("sealing: {key: 12345678}")[0]).toBe(
      '"sealing.key" of "file" takes a text, not a number; put it in quotes',
    );
  });
});

describe("a framed problem", () => {
  it("shows the line with a caret under what is meant, and no value that nobody knows", () => {
    const { framed } = checkText("r:\n  input:\n    file: {path: in, pth: hunter22, format: xml}\n");
    expect(framed).toBe(
      [
        'c.yml:3:22 r.input.file.pth: "file" has no field "pth"; did you mean "path"?',
        "    3 |     file: {path: in, pth: …, format: xml}",
        "      |                      ^^^",
        'c.yml:3:45 r.input.file.format: "format" of "file" takes normal, raw or csv, not "xml"',
        "    3 |     file: {path: in, pth: …, format: xml}",
        "      |                                      ^^^",
      ].join("\n"),
    );
  });

  it("shows of a text that is no YAML only keys and signs", () => {
    const { framed } = checkText('r:\n  input: {file: {path: ${A}.jsonl, password: "hunter22"}}\n');
    expect(framed).toContain('    2 |   input: {…: {…: ${…}…, …: "…"}}');
    expect(framed).not.toContain("hunter22");
  });

  it("keeps the caret in place after tabs and in a line that is too long", () => {
    const long = `{"r": {"input": {"file": {"path": "${"x".repeat(300)}", "pth": 1}}}}`;
    const configuration = loadConfiguration([{ name: "c.json", text: long, format: "json" }], {});
    const { problems } = checkConfiguration(configuration, fakeRegistry(), DEFAULTS);
    const [, line, caret] = renderProblem(problems[0]!, { frame: true }).split("\n");
    expect(line!.length).toBeLessThan(140);
    expect(line!.slice(caret!.indexOf("^")).startsWith('"pth"')).toBe(true);
    const tabbed = checkText("r:\t{input: {file: {path: a, pth: b}}}").framed.split("\n");
    expect(tabbed[2]).toMatch(/\| {3}\t +\^\^\^$/);
  });

  it("is coloured when asked to be", () => {
    const { checked } = checkText("r: {input: {file: {}}}");
    expect(renderProblem(checked.problems[0]!, { color: true })).toContain("\x1b[31m");
    expect(renderProblem(checked.problems[0]!)).not.toContain("\x1b");
  });
});

describe("all faults", () => {
  it("of all sources are reported at once, in the order of sources and of each text", () => {
    const environment = { MQB__B__INPUT__FILE__FORMAT: "xml" };
    const configuration = loadConfiguration(
      [
        {
          name: "c.yml",
          text: "b: {input: {file: {pth: b}}}\na: {input: {file: {path: a}}, batch_size: 0}\nroutes: 5",
          format: "yaml",
        },
        { name: "--config-str", text: "a: {output: {file: {path: 1}}}\nlogger: xml", format: "yaml" },
      ],
      environment,
    );
    const { problems } = checkConfiguration(configuration, fakeRegistry(), DEFAULTS);
    expect(problems.map((problem) => `${problem.at.source.name}:${problem.at.line} ${problem.path.join(".")}`)).toEqual(
      [
        "c.yml:1 b.input.file.pth",
        "c.yml:2 a.batch_size",
        "c.yml:3 routes",
        "--config-str:1 a.output.file.path",
        "--config-str:2 logger",
        "MQB__B__INPUT__FILE__FORMAT:0 b.input.file.format",
      ],
    );
  });

  it("of a value without a text name the source alone", () => {
    const value = { routes: { r: { input: { file: { pth: "p" } } } } };
    const configuration = loadConfiguration([{ name: "mqb.config.ts", value }], {});
    const { problems } = checkConfiguration(configuration, fakeRegistry(), DEFAULTS);
    expect(problems.map((problem) => renderProblem(problem, { frame: true }))).toEqual([
      'mqb.config.ts routes.r.input.file.pth: "file" has no field "pth"; did you mean "path"?',
    ]);
  });

  it("of a value that holds itself are one", () => {
    const value: Record<string, unknown> = {};
    value["r"] = value;
    expect(loadConfiguration([{ name: "m.ts", value }], {}).problems).toMatchObject([{ code: "MQB_CONFIG_TOO_MUCH" }]);
  });
});

describe("a package that is not installed", () => {
  const text = `a:
  input: {kafka: {topic: t}}
  output: {custom: {name: kafka, config: {}}}
b:
  input: {file: {path: p}, middlewares: [metrics, {deduplication: {}}]}
  output: {legs: [{kafka: {}}, {sqlx: {url: "mysql://h/d"}}]}
c: {input: {nosuch: {}}}
`;

  it("is one problem with the command of the host and every place that needs it", () => {
    const configuration = loadConfiguration([{ name: "c.yml", text, format: "yaml" }], {});
    const { problems, routes } = checkConfiguration(configuration, fakeRegistry(), DEFAULTS, {
      install: (name) => `pnpm add ${name}`,
    });
    expect(problems.map((problem) => renderProblem(problem))).toEqual([
      'c.yml:2:11 a.input.kafka: the endpoint "kafka" is not installed; it is also needed at c.yml:3:34 a.output.custom.config, c.yml:6:20 b.output.legs[0].kafka; pnpm add @mqb/kafka',
      'c.yml:5:42 b.input.middlewares[0]: the middleware "metrics" is not installed; pnpm add @mqb/standard',
      'c.yml:5:52 b.input.middlewares[1].deduplication: the middleware "deduplication" is not installed; pnpm add @mqb/dedup',
      'c.yml:6:33 b.output.legs[1].sqlx: the endpoint "sqlx" is not installed; pnpm add @mqb/mysql',
      expect.stringMatching(
        /^c\.yml:7:13 c\.input\.nosuch: unknown endpoint "nosuch"; neither mqb nor a known plugin has it; see docs\/reference/,
      ),
    ]);
    expect(problems[0]!.also).toHaveLength(2);
    expect(routes.map((route) => route.problems.length)).toEqual([2, 4, 1]);
  });
});
