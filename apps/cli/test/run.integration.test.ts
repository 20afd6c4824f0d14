import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildCli, runCli, scratchFolder, startCli } from "./support/cli.ts";
import { fileGrows } from "./support/files.ts";

const LATE = fileURLToPath(new URL("fixtures/late.mjs", import.meta.url));

let scratch: ReturnType<typeof scratchFolder>;
beforeAll(buildCli);
beforeEach(() => {
  scratch = scratchFolder();
  write("in.txt", "a\nb\n");
});
afterEach(() => scratch.remove());

const read = (name: string): string => readFileSync(join(scratch.path, name), "utf8");
const mqb = (args: string[], env: Record<string, string> = {}) => runCli(args, { cwd: scratch.path, env });

function write(name: string, text: string): void {
  mkdirSync(dirname(join(scratch.path, name)), { recursive: true });
  writeFileSync(join(scratch.path, name), text);
}

/** A route from in.txt to a file of its name. */
const drain = (name: string): string => `${name}:
  exit_on_empty: true
  input: { file: { path: in.txt, format: raw } }
  output: { file: { path: ${name}.txt, format: raw } }
`;
const lasting = (name: string): string => drain(name).replace("  exit_on_empty: true\n", "");

describe("a configuration", () => {
  it("is config.yml, the file that is asked for, or the one that a variable names", async () => {
    write("config.yml", drain("one"));
    write("conf/two.yaml", drain("two"));
    write(
      "three.json",
      JSON.stringify({
        routes: {
          three: {
            exit_on_empty: true,
            input: { file: { path: "in.txt", format: "raw" } },
            output: { file: { path: "three.txt", format: "raw" } },
          },
        },
      }),
    );
    expect(await mqb([])).toMatchObject({ code: 0, stdout: "" });
    expect(await mqb(["run", "--config", "conf/two.yaml", "--no-ui", "--no-metrics"])).toMatchObject({
      code: 0,
      stdout: "",
    });
    expect(await mqb(["run"], { CONFIG_FILE: "three.json" })).toMatchObject({ code: 0, stdout: "" });
    expect([read("one.txt"), read("two.txt"), read("three.txt")]).toEqual(["a\nb\n", "a\nb\n", "a\nb\n"]);
  });

  it("can be an argument, alone or over a file", async () => {
    expect(await mqb(["--config-str", drain("alone")])).toMatchObject({ code: 0 });
    write("base.yml", drain("base"));
    expect(await mqb(["-c", "base.yml", "--config-str", "base: {output: {file: {path: other.txt}}}"])).toMatchObject({
      code: 0,
    });
    expect([read("alone.txt"), read("other.txt"), existsSync(join(scratch.path, "base.txt"))]).toEqual([
      "a\nb\n",
      "a\nb\n",
      false,
    ]);
  });

  it("that was asked for must be there", async () => {
    const { code, stderr } = await mqb(["-c", "nowhere.yml"]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/error\[MQB_CONFIG_CANNOT_READ\]: .*nowhere\.yml: there is no such file/),
    ]);
    expect(await mqb(["-c", "nowhere.yml", "--config-str", drain("a")])).toMatchObject({ code: 0 });
  });

  it("with a fault starts nothing and touches no file; every fault is listed with its place", async () => {
    write(
      "config.yml",
      `${drain("good")}${drain("bad").replace("format: raw } }\n  output", "formt: raw } }\n  output").replace("path: bad.txt", "pth: bad.txt")}`,
    );
    const { code, stdout, stderr } = await mqb([]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /error\[MQB_CLI_CONFIG_INVALID\]: config\.yml is not valid, nothing was started \(2 problems\)/,
    );
    expect(stderr).toMatch(/ {2}config\.yml:7:\d+ bad\.input\.file\.formt: .*did you mean "format"\?/);
    expect(stderr).toMatch(/ {2}config\.yml:8:\d+ bad\.output\.file\.pth: .*did you mean "path"\?/);
    expect(existsSync(join(scratch.path, "good.txt"))).toBe(false);
  });

  it("never has a secret of it in a message", async () => {
    write(
      "config.yml",
      "r:\n  input: { file: { path: in.txt, pasword: hunter22 } }\n  output: { kafka: { url: 'kafka://u:hunter33@h', password: hunter44 } }\n",
    );
    const { code, stderr } = await mqb([]);
    expect(code).toBe(1);
    expect(stderr).not.toMatch(/hunter/);
  });
});

describe("a run", () => {
  it("ends by itself when every route drains, and logs to stderr or, if wanted, to stdout", async () => {
    write("config.yml", `logger: json\n${drain("a")}${drain("b")}`);
    const { code, stdout } = await mqb([], { MQB_LOG_STDOUT: "1" });
    expect(code).toBe(0);
    const messages = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).message as string);
    // Also a route that has ended already is not told to have ended before it has started.
    const [first, ...ends] = messages.filter((message) => /^Started|completed$/.test(message));
    expect(first).toBe("Started 2 of 2 enabled routes");
    expect(ends.sort()).toEqual(["route a completed", "route b completed"]);
  });

  it("drains every route with --drain", async () => {
    write("config.yml", lasting("a"));
    expect(await mqb(["run", "--drain"])).toMatchObject({ code: 0 });
    expect(read("a.txt")).toBe("a\nb\n");
  });

  it("starts the routes that can, says which cannot, and ends with 1", async () => {
    write("config.yml", `${drain("good")}bad:\n  exit_on_empty: true\n  input: { kafka: { topic: t } }\n`);
    const { code, stderr } = await mqb([]);
    expect([code, read("good.txt")]).toEqual([1, "a\nb\n"]);
    expect(stderr).toMatch(
      /ERROR route bad could not be started: config\.yml:\d+:\d+ bad\.input\.kafka: .*install @mqb\/kafka/,
    );
    expect(stderr).toMatch(/WARN {2}Started 1 of 2 enabled routes/);
    expect(stderr).toMatch(/error\[MQB_CLI_ROUTES_FAILED\]: not every route ended well\n {2}route bad: /);
  });

  it("ends with 1 when no route can be started", async () => {
    write("config.yml", "bad:\n  input: { file: { path: ./ } }\n");
    const { code, stderr } = await mqb([]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /error\[MQB_CLI_NONE_STARTED\]: the only enabled route could not be started\n {2}route bad: /,
      ),
    ]);
  });

  it("ends with 1 when messages were dropped", async () => {
    write("config.yml", drain("a").replace("path: a.txt, format: raw", "path: a.csv, format: csv"));
    const { code, stderr } = await mqb([]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/route a: dropped 2 messages: /)]);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("stops its routes at a %s and ends with 0", async (signal) => {
    write("config.yml", `${lasting("a")}${drain("b")}`);
    const running = startCli([], { cwd: scratch.path });
    await fileGrows(join(scratch.path, "a.txt"), 4);
    running.child.kill(signal);
    expect(await running.done).toMatchObject({ code: 0, stdout: "" });
    expect(read("a.txt")).toBe("a\nb\n");
  });

  const unreachable =
    "a:\n  startup_timeout_ms: 200\n  reconnect_interval_ms: 50\n  input: { memory: { topic: t } }\n  output: { late: {} }\n";

  it("lets a route that cannot be reached go on trying while another runs", async () => {
    write("config.yml", `plugins: [${LATE}]\n${unreachable}${lasting("b")}`);
    const running = startCli([], { cwd: scratch.path });
    await running.stderr(/WARN {2}Started 1 of 2 enabled routes connecting=a/);
    await fileGrows(join(scratch.path, "b.txt"), 4);
    write("ready", "");
    await running.stderr(/late opened/);
    running.child.kill("SIGTERM");
    expect(await running.done).toMatchObject({ code: 0 });
  });

  it("ends with 1 when the only route cannot be reached", async () => {
    write("config.yml", `plugins: [${LATE}]\n${unreachable}`);
    const { code, stderr } = await mqb([]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/the only enabled route could not be started\n {2}route a: .*ECONNREFUSED/),
    ]);
  });

  it("ends with 1 and a line when a plugin loses a promise that rejects", async () => {
    write("config.yml", `plugins: [${LATE}]\na: { input: { memory: { topic: t } }, output: { careless: {} } }\n`);
    const { code, stderr } = await mqb([]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: unexpected: lost, with db:\/\/u:\*\*\*@h in it$/m),
    ]);
  });

  it("waits for a signal when there is nothing to run", async () => {
    const running = startCli(["--no-ui"], { cwd: scratch.path });
    await running.stderr(/nothing to run/);
    running.child.kill("SIGTERM");
    expect(await running.done).toMatchObject({ code: 0, stdout: "" });
  });

  it.each(["", "routes:", "routes: {}", "a: { enabled: false, input: {file: {path: a}}, output: null }"])(
    "ends when there is nothing to drain: %j",
    async (text) => {
      write("config.yml", text);
      const { code, stderr } = await mqb(["run", "--drain", "--no-ui", "--no-metrics"]);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/nothing to run: .*; nothing to drain\n$/)]);
    },
  );

  it("says once while it runs, and once at its end, why a route has failed", async () => {
    write("in.txt", "a\n");
    write(
      "config.yml",
      "a:\n  input: {file: {path: in.txt, format: raw}}\n  output: {file: {path: /dev/full, format: raw}}\n",
    );
    const { code, stderr } = await mqb(["run", "--drain", "--no-ui", "--no-metrics"]);
    expect(code).toBe(1);
    expect(stderr.match(/^\S+ ERROR .*ENOSPC/gm)).toHaveLength(1);
    expect(stderr.match(/^ {2}route a: .*ENOSPC/gm)).toHaveLength(1);
  });

  it("says that the name of the configuration is empty", async () => {
    expect(await mqb(["run", "-c", ""])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--config is empty: it takes the name of a file") as string,
    });
  });

  it("loads a plugin that the configuration lists, relative to the file", async () => {
    write("conf/plugin.mjs", `throw new Error("its own fault");`);
    write("conf/c.yml", `plugins: [./plugin.mjs]\n${drain("a")}`);
    const { code, stderr } = await mqb(["-c", "conf/c.yml"]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/error\[MQB_CLI_PLUGIN_LOAD\]: .*\.\/plugin\.mjs could not be loaded: its own fault/),
    ]);
  });

  it("says what it was asked to serve and cannot", async () => {
    write("config.yml", `ui_addr: 127.0.0.1:9091\nmetrics_addr: 127.0.0.1:9090\n${drain("a")}`);
    const { code, stderr } = await mqb(["--no-metrics"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/WARN {2}"ui_addr" is not available yet: nothing is served at 127\.0\.0\.1:9091/);
    expect(stderr).not.toContain("metrics_addr");
  });
});

describe("other commands", () => {
  it("mqb plugins lists what is found, with where, as text or JSON", async () => {
    const { code, stdout } = await mqb(["plugins", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "@mqb/file", found: "comes with mqb", endpoints: ["file"] }),
      ]),
    );
    expect((await mqb(["plugins"])).stdout).toMatch(
      /^@mqb\/standard \d+\.\d+\.\d+ {2}\(comes with mqb, .*\)\n {2}endpoints {3}memory, /m,
    );
  });

  it("mqb --version, --help and help write to stdout and end with 0", async () => {
    expect(await mqb(["--version"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^mqb \d+\.\d+\.\d+\n$/),
      stderr: "",
    });
    const [program, command, help] = [
      await mqb(["--help"]),
      await mqb(["copy", "--help"]),
      await mqb(["help", "copy"]),
    ];
    expect([program.code, program.stderr, command.code]).toEqual([0, "", 0]);
    expect(program.stdout).toContain("Usage: mqb [OPTIONS] [COMMAND]");
    expect(help.stdout).toBe(command.stdout);
  });

  it("wrong arguments end with 2, and colour is as it is asked for", async () => {
    expect(await mqb(["copy", "a", "b", "--batch-size", "ten"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^error\[MQB_CLI_USAGE\]: --batch-size/),
    });
    expect((await mqb(["--color", "always", "--bogus"], { NO_COLOR: "1" })).stderr).toMatch(/^\x1b\[31merror\[/);
    expect((await mqb(["--bogus"])).stderr).not.toContain("\x1b");
  });
});
