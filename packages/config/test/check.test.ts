import { describe, expect, it } from "vitest";
import { checkConfiguration, concernsOneRoute, loadConfiguration, namesInRoutes, renderProblem } from "../src/index.ts";
import { fakeRegistry } from "./fake-plugin.ts";

const registry = fakeRegistry();
const DEFAULTS = { concurrency: 4, batch_size: 1024 };

function check(text: string) {
  const checked = checkConfiguration(
    loadConfiguration([{ name: "c.yml", text, format: "yaml" }], {}),
    registry,
    DEFAULTS,
  );
  return { ...checked, lines: checked.problems.map((problem) => renderProblem(problem)) };
}

describe("the check of a configuration", () => {
  it("reports every problem of every route, in document order, with file, line and column", () => {
    const { lines, routes } = check(`
routes:
  r:
    output:
      file:
        pth: out.jsonl
      middlewares:
        - retry: {max_atempts: 5}
    concurency: 2
    input:
      file: {path: a}
      db: {url: b}
  s:
    input: {file: {path: in, format: xml}}
`);
    expect(lines).toEqual([
      expect.stringMatching(/^c\.yml:6:9 routes\.r\.output\.file\.pth: .*; did you mean "path"\?$/),
      expect.stringMatching(
        /^c\.yml:8:19 routes\.r\.output\.middlewares\[0\]\.retry\.max_atempts: .*did you mean "max_attempts"/,
      ),
      expect.stringMatching(/^c\.yml:9:5 routes\.r\.concurency: .*did you mean "concurrency"/),
      expect.stringMatching(/^c\.yml:10:5 routes\.r\.input: .*"file" and "db"/),
      expect.stringMatching(/^c\.yml:14:38 routes\.s\.input\.file\.format: /),
    ]);
    expect(routes.map((route) => [route.name, route.plan])).toEqual([
      ["r", undefined],
      ["s", undefined],
    ]);
  });

  it("reports the misspelt option of a bare route", () => {
    expect(check("input: {file: {path: a}}\nbatch_sise: 1").lines).toEqual([
      expect.stringMatching(/^c\.yml:2:1 batch_sise: .*did you mean "batch_size"/),
    ]);
  });

  it("leaves routes out that are not enabled", () => {
    expect(check("a: {enabled: false, input: {nosuch: {}}}\nb: {input: {file: {path: p}}}")).toMatchObject({
      lines: [],
      routes: [{ name: "b" }],
    });
  });

  it("fills in the host's defaults where the route writes nothing", () => {
    expect(
      check("a: {input: {file: {path: p}}, concurrency: null, batch_size: 7}").routes[0]!.plan!.options,
    ).toMatchObject({ concurrency: 4, batchSize: 7 });
    expect(check("a: {input: {file: {path: p}}}").routes[0]!.plan!.options).toMatchObject({
      concurrency: 4,
      batchSize: 1024,
    });
  });

  it("prefers the batch size that the sink asks for over the host's", () => {
    const text = "a: {input: {file: {path: p}}, output: {db: {url: u}}}";
    expect(check(text).routes[0]!.plan!.options.batchSize).toBe(50_000);
    expect(check(`${text}\n`.replace("}}}", "}}, batch_size: 3}")).routes[0]!.plan!.options.batchSize).toBe(3);
  });

  it("tells what is not installed, which concerns one route, from faults of the document", () => {
    const { problems, lines } = check(
      "a: {input: {kafka: {topic: t}}}\nb: {input: {fille: {path: p}}}\nc: {input: {file: {}}}",
    );
    expect(problems.map(concernsOneRoute)).toEqual([true, true, false]);
    expect(lines[0]).toMatch(
      /^c\.yml:1:13 a\.input\.kafka: the endpoint "kafka" is not installed; install @mqb\/kafka$/,
    );
    expect(lines[1]).toMatch(/^c\.yml:2:13 b\.input\.fille: unknown endpoint "fille"; did you mean "file"\?$/);
  });
});

describe("the names in routes", () => {
  it("are found at any depth, without knowing the endpoints", () => {
    const names = namesInRoutes([
      {
        input: {
          kafka: { topic: "t" },
          middlewares: [{ deduplication: { store: "redis://h/0" } }, { custom: { name: "mine" } }, "metrics"],
        },
        output: {
          fanout: [
            { http: { url: "https://h" }, middlewares: { "0": { retry: {} } } },
            { switch: { when: [] } },
            { custom: { name: "theirs" } },
            null,
          ],
        },
      },
      { input: { file: {} } },
    ]);
    expect([...names.endpoints]).toEqual(
      expect.arrayContaining(["kafka", "fanout", "http", "switch", "theirs", "null", "file"]),
    );
    expect([...names.middlewares].sort()).toEqual(["custom", "deduplication", "metrics", "mine", "retry"]);
    expect([...names.stores].sort()).toEqual(["https", "redis"]);
    expect(names.expressions).toBe(true);
  });

  it.each(["/var/lib/cp.json", "cp", String.raw`C:\cp.json`])(
    "hold the scheme of files where the place of a state store is a path: %s",
    (path) => {
      expect(namesInRoutes([{ input: { postgres_cdc: { checkpoint_store: path } } }]).stores).toContain("file");
      const aggregate = { input: { memory: {}, middlewares: [{ aggregate: { store: path } }] } };
      expect(namesInRoutes([aggregate]).stores).toContain("file");
      expect(namesInRoutes([{ input: { postgres_cdc: { slot_name: path } } }]).stores).not.toContain("file");
    },
  );

  it("hold no expression where none is written", () => {
    expect(namesInRoutes([{ input: { file: { path: "a" } } }]).expressions).toBe(false);
  });
});
