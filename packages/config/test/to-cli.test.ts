import { describe, expect, it } from "vitest";
import { checkConfiguration, loadConfiguration, toCommand, toCopyCommand } from "../src/index.ts";
import { shellQuoted } from "../src/to-cli/shell.ts";
import { fakeRegistry } from "./fake-plugin.ts";

const registry = fakeRegistry();
const DEFAULTS = { concurrency: 1, batch_size: 512 };

function load(text: string, environment: Record<string, string> = {}) {
  const configuration = loadConfiguration([{ name: "c.yaml", text, format: "yaml" }], environment);
  const checked = checkConfiguration(configuration, registry, DEFAULTS);
  expect(checked.problems.filter((problem) => problem.level === "error")).toEqual([]);
  return { configuration, checked };
}

/** The configuration that the command passes on. */
function written(command: string): unknown {
  const [, quoted] = /^mqb --config-str '(.*)' --no-ui --no-metrics$/s.exec(command)!;
  return JSON.parse(quoted!.replaceAll(`'\\''`, "'"));
}

const SECRETS = `
routes:
  a b:
    input: { db: { url: "db://u:pa%2Fss@h/d", table: "it's" } }
    output:
      file: { path: out, sealing: { key: "k3y", keys: { old: "\${OLD}" }, name: n } }
      middlewares: [{ dlq: { endpoint: { file: { path: dead, sealing: { key: other-key } } } } }]
`;

describe("the command for a configuration", () => {
  it("holds all of it but the secrets, which are named", () => {
    const { configuration, checked } = load(SECRETS, { OLD: "0ld-key" });
    const { command, requiredEnv } = toCommand(configuration, checked, { OLD: "0ld-key" });
    expect(written(command)).toMatchObject({
      log_level: "info",
      routes: {
        "a b": {
          concurrency: 1,
          input: { db: { url: "db://u:${MQB_SECRET_A_B_INPUT_DB_URL_PASSWORD}@h/d", table: "it's" } },
          output: {
            file: {
              sealing: {
                key: "${MQB_SECRET_A_B_OUTPUT_FILE_SEALING_KEY}",
                keys: { old: "${MQB_SECRET_A_B_OUTPUT_FILE_SEALING_KEYS_OLD}" },
                name: "n",
              },
            },
          },
        },
      },
    });
    expect(requiredEnv).toHaveLength(4);
    expect(command).not.toMatch(/pa%2Fss|k3y|0ld-key|other-key/);
  });

  it("gives the same configuration when it is loaded again with the variables", () => {
    const { configuration, checked } = load(SECRETS, { OLD: "0ld-key" });
    const { command, requiredEnv } = toCommand(configuration, checked, {});
    const values = ["other-key", "pa%2Fss", "0ld-key", "k3y"];
    const environment = Object.fromEntries(
      requiredEnv.map((name) => [name, values.find((value) => name.includes(FIELD[value]!))!]),
    );
    const again = load(JSON.stringify(written(command)), environment);
    expect(again.checked.routes.map((route) => route.config)).toEqual(checked.routes.map((route) => route.config));
  });

  it("keeps a value from being looked at again that came from a variable", () => {
    const environment = { NAME: "$HOME", HOME: "/root" };
    const { configuration, checked } = load("routes: { r: { input: { file: { path: '${NAME}' } } } }", environment);
    const { command, requiredEnv } = toCommand(configuration, checked, environment);
    expect(requiredEnv).toEqual(["MQB_SECRET_R_INPUT_FILE_PATH"]);
    expect(command).not.toContain("$HOME");
  });

  it("keeps routes that are not enabled, and settings", () => {
    const { configuration, checked } = load(
      "log_level: debug\nlogger: json\nx: { enabled: false, input: { nosuch: {} } }",
    );
    expect(written(toCommand(configuration, checked, {}).command)).toEqual({
      log_level: "debug",
      logger: "json",
      routes: { x: { enabled: false, input: { nosuch: {} } } },
    });
  });
});

/** A part of the variable's name for each secret. */
const FIELD: Readonly<Record<string, string>> = {
  "other-key": "DLQ",
  "pa%2Fss": "URL_PASSWORD",
  k3y: "OUTPUT_FILE_SEALING_KEY",
  "0ld-key": "KEYS_OLD",
};

describe("the copy for a configuration", () => {
  const copy = (text: string) => toCopyCommand(load(text).checked, registry, {});

  it("has the route's URIs and flags", () => {
    expect(
      copy("input: { file: { path: a b } }\noutput: null\nexit_on_empty: true\nbatch_size: 7\ndescription: x"),
    ).toEqual({
      command: "mqb copy 'file:a b' null: --concurrency 1 --batch-size 7 --drain",
      requiredEnv: [],
      encodedEnv: [],
    });
  });

  it("has variables for secrets, and says which have to be encoded", () => {
    expect(
      copy(
        'r: { input: { db: { url: "db://u:s3cret@h/d" } }, output: { file: { path: o, sealing: { key: "a&b", name: n } } } }',
      ),
    ).toEqual({
      command:
        "mqb copy 'db://u:${MQB_SECRET_R_INPUT_DB_URL_PASSWORD}@h/d' " +
        "'file:o?sealing.key=${MQB_SECRET_R_OUTPUT_FILE_SEALING_KEY}&sealing.name=n' --concurrency 1 --batch-size 512",
      requiredEnv: ["MQB_SECRET_R_INPUT_DB_URL_PASSWORD", "MQB_SECRET_R_OUTPUT_FILE_SEALING_KEY"],
      encodedEnv: ["MQB_SECRET_R_OUTPUT_FILE_SEALING_KEY"],
    });
  });

  it("has a variable for a token that stands in a URL without a user", () => {
    const { command } = copy('r: { input: { db: { url: "https://t0ken@h/d" } } }') as { command: string };
    expect(command).toContain("https://${MQB_SECRET_R_INPUT_DB_URL_PASSWORD}@h/d");
  });

  it.each([
    ["r: { input: { file: { path: a } } }\ns: { input: { file: { path: a } } }", /2 routes/],
    ["r: { input: { file: { path: a } }, startup_timeout_ms: 1 }", /"startup_timeout_ms"/],
    ["r: { input: { file: { path: a } }, required_delivery: at_least_once }", /"required_delivery"/],
  ])("is refused with the reason: %s", (text, reason) => {
    expect(copy(text)).toEqual({ refused: expect.stringMatching(reason) });
  });
});

describe("a word for the shell", () => {
  it.each([
    ["file:a.jsonl", "file:a.jsonl"],
    ["a b", "'a b'"],
    ["it's", `'it'\\''s'`],
    ["$HOME`x`", "'$HOME`x`'"],
    ["", "''"],
  ])("%s is %s", (word, quoted) => {
    expect(shellQuoted(word)).toBe(quoted);
  });
});

describe("the command holds no secret of", () => {
  it.each([
    ["a route that is not enabled", "r: { enabled: false, output: { file: { path: o, sealing: { key: MARK } } } }"],
    ["a publisher", "publishers: { p: { file: { path: o, sealing: { key: MARK } } } }"],
    ["a plugin that is not installed", "r: { input: { nosuch: { key: MARK, keys: { old: MARK }, pasword: MARK } } }"],
    [
      "a middleware that is not installed",
      "publishers: { p: { file: { path: o }, middlewares: [{ nosuch: { key: MARK } }] } }",
    ],
    ["a URL with a token alone", 'publishers: { p: { db: { url: "db://MARK@host" } } }'],
  ])("%s", (_, text) => {
    const configuration = loadConfiguration([{ name: "c.yaml", text, format: "yaml" }], {});
    const checked = checkConfiguration(configuration, registry, DEFAULTS);
    const { command, requiredEnv } = toCommand(configuration, checked, {});
    expect(command).not.toContain("MARK");
    expect(requiredEnv.length).toBeGreaterThan(0);
  });
});
