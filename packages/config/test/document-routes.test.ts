import { describe, expect, it } from "vitest";
import { loadConfiguration, renderProblem } from "../src/index.ts";

function load(...texts: string[]) {
  const sources = texts.map((text, index) => ({ name: `c${index}`, text, format: "yaml" as const }));
  const configuration = loadConfiguration(sources, {});
  return { ...configuration, lines: configuration.problems.map((problem) => renderProblem(problem)) };
}

describe("the three spellings of routes", () => {
  it("under routes", () => {
    expect(load("routes:\n  a: {input: {x: {}}, batch_size: 5}\n  b: {input: {y: {}}}").routes).toEqual([
      { name: "a", path: ["routes", "a"], enabled: true, config: { input: { x: {} }, batch_size: 5 } },
      { name: "b", path: ["routes", "b"], enabled: true, config: { input: { y: {} } } },
    ]);
  });

  it("as maps at the top level, beside routes", () => {
    const { routes, lines } = load("log_level: debug\nmine: {input: {x: {}}}\nroutes: {a: {input: {x: {}}}}");
    expect(routes.map((route) => [route.name, route.path])).toEqual([
      ["a", ["routes", "a"]],
      ["mine", ["mine"]],
    ]);
    expect(lines).toEqual([]);
  });

  it("as one bare route, to which every key belongs that is no setting", () => {
    const { routes, settings, lines } = load("logger: json\ninput: {x: {}}\nconcurency: 4");
    expect(routes).toEqual([{ name: "route", path: [], enabled: true, config: { input: { x: {} }, concurency: 4 } }]);
    expect(settings.logger).toBe("json");
    expect(lines).toEqual([]);
  });

  it("take a route without an input for a route, so that its fault is reported", () => {
    expect(load("r: {output: {x: {}}}").routes).toHaveLength(1);
  });

  it("refuse one name for two routes", () => {
    expect(load("routes: {a: {input: {x: {}}}}\na: {input: {x: {}}}").lines).toEqual([
      'c0:2:1 a: there are two routes called "a", the first at routes.a; rename one of them',
    ]);
  });

  it("take `enabled` off the route", () => {
    expect(load("a: {input: {x: {}}, enabled: false}").routes).toEqual([
      { name: "a", path: ["a"], enabled: false, config: { input: { x: {} } } },
    ]);
    expect(load("a: {input: {x: {}}, enabled: maybe}").lines).toEqual([
      'c0:1:21 a.enabled: "enabled" is true or false',
    ]);
  });

  it("unwrap an exported document, and refuse `config` beside other keys", () => {
    expect(load("config:\n  routes: {a: {input: {x: {}}}}").routes[0]).toMatchObject({
      name: "a",
      path: ["config", "routes", "a"],
    });
    expect(load("config: {input: {x: {}}}\na: {input: {x: {}}}").lines[0]).toMatch(
      /^c0:1:1 config: "config" at the top level is ambiguous/,
    );
  });
});

describe("the other keys of the top level", () => {
  it("are the settings, with defaults", () => {
    expect(load("a: {input: {x: {}}}").settings).toEqual({
      logLevel: "info",
      logger: "plain",
      plugins: [],
      services: {},
    });
    expect(
      load(
        "plugins: [./p.js, mqb-plugin-a]\nui_addr: ''\nmetrics_addr: 127.0.0.1:9090\nhistory: []\npublishers: []\nconsumers: []",
      ).settings,
    ).toMatchObject({
      plugins: ["./p.js", "mqb-plugin-a"],
      services: { metrics_addr: "127.0.0.1:9090" },
    });
  });

  it("warn when nobody knows them, with the nearest name", () => {
    const { lines, problems } = load("rotues: {}\na: {input: {x: {}}}");
    expect(lines).toEqual([
      'c0:1:1 rotues: unknown top-level key "rotues": it is neither a setting nor a route; did you mean "routes"?',
    ]);
    expect(problems[0]!.level).toBe("warning");
  });

  it.each([
    "rotues: {a: {input: {x: {}}}}",
    "rotues:",
    "consumer: [{endpoint: {x: {}}}]",
    "Routes: {}",
    "inptu: {x: {}}\nlog_level: warn",
    "route: {a: {input: {x: {}}}}\nb: {input: {x: {}}}",
    "routes: {b: {input: {x: {}}}}\nconsumres: [{endpoint: {x: {}}}]",
    "config: {rotues: {}}",
  ])("are refused when they are a slip that leaves routes out: %s", (text) => {
    const { problems } = load(text);
    expect(problems).toEqual([expect.objectContaining({ level: "error", code: "MQB_CONFIG_UNKNOWN_KEY" })]);
    expect(problems[0]!.hint).toMatch(/^did you mean "(?:routes|consumers|input)"\?$/);
  });

  it.each([
    "routs: {a: {b: 1}}\na: {input: {x: {}}}",
    "things: {a: {input: {x: {}}}}\na: {input: {x: {}}}",
    "x-rotues: {a: {input: {x: {}}}}",
  ])("are not refused when they may be something else: %s", (text) => {
    expect(load(text).problems.filter((problem) => problem.level === "error")).toEqual([]);
  });

  it.each([
    [
      "log_level: loud",
      'log_level: "log_level" takes debug, info, warn, error, off, or a list such as info,kafka=debug, not "loud"',
    ],
    ["log_level: dbug", '"dbug"; did you mean "debug"?'],
    ["log_level: info,kafka=verbose", 'not "info,kafka=verbose"'],
    ["metrics_addr: nowhere", 'metrics_addr: "metrics_addr" takes host:port, not "nowhere"; e.g. 127.0.0.1:9090'],
    ["metrics_addr: 127.0.0.1:99999", 'not "127.0.0.1:99999"'],
    ["config: {metrics_addr: ':x'}", 'config.metrics_addr: "metrics_addr" takes host:port, not ":x"'],
  ])("are refused when they cannot be used: %s", (text, line) => {
    const { lines, problems } = load(text);
    expect(lines).toEqual([expect.stringContaining(line)]);
    expect(problems[0]!.level).toBe("error");
  });

  it.each(["trace", "info,mq_bridge=trace", "Warn", "kafka=off"])("take every level that a run takes: %s", (level) => {
    expect(load(`log_level: ${level}\nmetrics_addr: ":9090"`).lines).toEqual([]);
  });

  it.each([
    [
      "routes: [a]",
      'c0:1:1 routes: "routes" is a map of routes by name; write each as `name: { input: …, output: … }`',
    ],
    ["plugins: p", 'c0:1:1 plugins: "plugins" is a list of packages or paths; write each as `- name`'],
    ["plugins: [{a: 1}]", "c0:1:11 plugins[0]: a plugin is a package name or a path"],
    ["logger: xml", 'c0:1:1 logger: "logger" is plain or json, not "xml"'],
    ["log_level: 3", 'c0:1:1 log_level: "log_level" takes a text; put it in quotes'],
    ["- a", "c0:1:1: a configuration is a map, e.g. with `routes:`"],
  ])("refuse %s", (text, line) => {
    expect(load(text).lines).toEqual([line]);
  });
});

describe("laying texts over each other", () => {
  it("merges maps, replaces the rest and remembers where each value was written", () => {
    const { routes, lines } = load(
      "routes:\n  a:\n    input: {x: {path: p, list: [1, 2]}}\n    enabled: 5",
      "routes: {a: {input: {x: {list: [3]}}, batch_size: 9}, b: {input: {}, enabled: 7}}",
    );
    expect(routes[0]!.config).toEqual({ input: { x: { path: "p", list: [3] } }, batch_size: 9 });
    expect(lines).toEqual([
      'c0:4:5 routes.a.enabled: "enabled" is true or false',
      'c1:1:70 routes.b.enabled: "enabled" is true or false',
    ]);
  });

  it("leaves an empty text out", () => {
    expect(load("a: {input: {x: {}}}", "# nothing\n").routes).toHaveLength(1);
  });
});
