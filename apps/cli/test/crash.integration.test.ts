import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();
const CRASHING = fileURLToPath(new URL("fixtures/crashing.mjs", import.meta.url));

const run = (say: string, env: Readonly<Record<string, string>> = {}) => {
  folder.write(
    "config.yml",
    `routes:\n  r: { startup_timeout_ms: 50, input: { crashing: { password: geheim-4711, how: ${say} } } }\n`,
  );
  return folder.mqb(["run", "--plugin", CRASHING, "--no-metrics"], env);
};

describe("a fault that nobody catches", () => {
  it.each(["throws", "rejects"])(
    "ends the process with 1 and tells no secret of the configuration: %s",
    async (how) => {
      const { code, stdout, stderr } = await run(how);
      expect(code).toBe(1);
      expect(stderr).toContain("error: unexpected: cannot log in with ***");
      expect(stdout + stderr).not.toContain("geheim");
    },
  );

  it("shows where it comes from at the level debug only", async () => {
    expect((await run("throws")).stderr).not.toMatch(/^\s+at /m);
    expect((await run("throws")).stderr).toContain("RUST_LOG=debug shows where");
    const debug = await run("throws", { RUST_LOG: "debug" });
    expect(debug.stderr).toMatch(/^\s+at .*crashing\.mjs/m);
    expect(debug.stderr).not.toContain("geheim");
  });
});

describe("an error that ends the command", () => {
  it("shows where it comes from at the level debug only", async () => {
    expect((await run("opens badly")).stderr).not.toMatch(/^\s+at /m);
    const debug = await run("opens badly", { RUST_LOG: "debug" });
    expect([debug.code, debug.stderr]).toEqual([1, expect.stringMatching(/^error\[/m)]);
    expect(debug.stderr).not.toContain("geheim");
  });
});

describe("logs", () => {
  const copied = async (env: Readonly<Record<string, string>>, target = "null:") => {
    folder.write("in.jsonl", "1\n");
    return await folder.mqb(["copy", "file:in.jsonl?format=raw", target, "--drain", "-v"], env);
  };

  it("go to standard error, and to standard output where MQB_LOG_STDOUT asks for it", async () => {
    const usual = await copied({});
    expect([usual.stdout, usual.stderr]).toEqual([
      expect.not.stringContaining("INFO"),
      expect.stringContaining("INFO  copy route started"),
    ]);
    const moved = await copied({ MQB_LOG_STDOUT: "1" });
    expect([moved.stdout, moved.stderr]).toEqual([expect.stringContaining("INFO  copy route started"), ""]);
  });

  it("never go among the rows", async () => {
    const { stdout, stderr } = await copied({ MQB_LOG_STDOUT: "1" }, "-?format=raw");
    expect([stdout, stderr]).toEqual(["1\n", expect.stringContaining("copy route started")]);
  });

  it("of one module can be shown alone", async () => {
    const { stderr } = await run("opens badly", { RUST_LOG: "off,crashing=debug" });
    const lines = stderr.split("\n").filter((line) => /^\d{4}-/.test(line));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/DEBUG of the endpoint$/);
  });
});
