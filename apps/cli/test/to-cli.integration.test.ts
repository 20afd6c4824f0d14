import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, runCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const scratch = folderPerTest();

const file = (name: string): string => join(scratch.path, name);
const run = (args: readonly string[], env: Record<string, string> = {}) => runCli(args, { cwd: scratch.path, env });

/** The words of a command as a shell takes it apart, without the program. */
function words(command: string): string[] {
  const script = `mqb() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${command}`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

const CONFIG = `
routes:
  r:
    exit_on_empty: true
    input: { file: { path: "it's in.txt", format: raw } }
    output: { file: { path: "\${NAME}", format: raw } }
`;

describe("mqb to-cli", () => {
  it("prints a command that does the same, also through a shell", async () => {
    writeFileSync(file("config.yml"), CONFIG);
    writeFileSync(file("it's in.txt"), "a\nb\n");
    const { code, stdout, stderr } = await run(["to-cli"], { NAME: "out.txt" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(await run(words(stdout))).toMatchObject({ code: 0 });
    expect(readFileSync(file("out.txt"), "utf8")).toBe("a\nb\n");
  });

  it("prints a copy that does the same", async () => {
    writeFileSync(file("config.yml"), CONFIG);
    writeFileSync(file("it's in.txt"), "a\nb\n");
    const { stdout } = await run(["to-cli", "--copy"], { NAME: "out.txt" });
    expect(stdout).toBe(
      `mqb copy 'file:it'\\''s in.txt?format=raw' 'file:out.txt?format=raw' --concurrency 1 --batch-size 4096 --drain\n`,
    );
    expect(await run(words(stdout))).toMatchObject({ code: 0, stdout: expect.stringMatching(/^copied 2 rows/) });
  });

  it("names the variables that stand for secrets, and never shows one", async () => {
    const input = { static: { body: "x", metadata: { authorization: "Bearer s3cret-t0ken" } } };
    writeFileSync(file("config.yml"), JSON.stringify({ input, output: null }));
    const plain = await run(["to-cli"]);
    const json = await run(["to-cli", "--json"]);
    const name = "MQB_SECRET_ROUTE_INPUT_STATIC_METADATA_AUTHORIZATION";
    expect(plain.stderr).toBe(`Required environment variables: ${name}\n`);
    expect(JSON.parse(json.stdout)).toMatchObject({ required_env: [name], encoded_env: [] });
    expect([plain.stdout, plain.stderr, json.stdout].join()).not.toContain("s3cret");
  });

  it("refuses a copy for what is none, and a configuration that is wrong", async () => {
    const two = "a: { input: { static: x } }\nb: { input: { static: x } }\n";
    const copy = await run(["to-cli", "--copy", "--config-str", two]);
    expect(copy).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/NO_COPY.*2 routes[\s\S]*hint: leave --copy/),
    });
    const wrong = await run(["to-cli", "--config-str", "a: { input: { static: x }, concurency: 1 }"]);
    expect(wrong).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("concurency") });
  });
});
