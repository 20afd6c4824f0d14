import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildCli, runCli, scratchFolder } from "./support/cli.ts";

let folder: ReturnType<typeof scratchFolder>;

beforeAll(() => {
  buildCli();
  folder = scratchFolder();
  const text = `env_vars: {TOPIC: orders}
routes:
  a:
    input: {memory: {topic: $TOPIC}}
    output:
      file: {path: "\${OUT_FILE}"}
      middlewares: [{retry: {max_attempts: 5}}]
  b:
    input: {static: x}
    output: {custom: {name: gone, config: {url: "https://u:hunter22@h", api_key: hunter33, token: $TOKEN}}}
  c:
    input: {file: {path: 'h://x?q=[1, {"a'}}
    output: {file: {path: 'h://x?q=["b", {"c": "d"}] and more'}}
`;
  writeFileSync(join(folder.path, "mqb.yaml"), text);
  writeFileSync(join(folder.path, ".env"), "OUT_FILE=from-dotenv\nTOKEN=hunter44\n");
});
afterAll(() => folder.remove());

const show = (...args: string[]) =>
  runCli(["config", "show", "-c", "mqb.yaml", ...args], {
    cwd: folder.path,
    env: { MQB__ROUTES__A__BATCH_SIZE: "7", MQB__ROUTES__A__OUTPUT__MIDDLEWARES__0__RETRY__MAX_ATTEMPTS: "9" },
  });

it("config show prints each value of the configuration, and with --origin where it comes from", async () => {
  const { stdout, code } = await show("--origin");
  const lines = stdout.split("\n").map((line) => line.replace(/ {2,}#/, "  #"));
  for (const line of [
    'routes.a.input.memory.topic: "orders"  # mqb.yaml:4:29, from TOPIC',
    'routes.a.output.file.path: "from-dotenv"  # mqb.yaml:6:20, from OUT_FILE',
    "routes.a.output.middlewares[0].retry.max_attempts: 9  # MQB__ROUTES__A__OUTPUT__MIDDLEWARES__0__RETRY__MAX_ATTEMPTS",
    "routes.a.batch_size: 7  # MQB__ROUTES__A__BATCH_SIZE",
    "routes.a.concurrency: 1  # default",
    'routes.b.output.custom.config.url: "https://u:***@h"  # mqb.yaml:10:49',
    "routes.b.output.custom.config.api_key: ***  # mqb.yaml:10:82",
    // What stands in one value hides nothing of the next.
    'routes.c.output.file.path: "h://x?q=[\\"b\\", {\\"c\\": \\"d\\"}] and more"  # mqb.yaml:13:27',
    'log_level: "info"  # default',
  ])
    expect(lines).toContain(line);
  // A plugin is missing; what is known is shown all the same.
  expect(code).toBe(1);
});

it("config show holds no secret, in any form, and says what is wrong on stderr", async () => {
  for (const args of [[], ["--origin"], ["--json"]]) {
    const { stdout, stderr } = await show(...args);
    expect(stdout).not.toMatch(/hunter/);
    expect(stderr).toMatch(/routes\.b\.output\.custom\.config: unknown endpoint "gone"/);
    expect(stderr).not.toMatch(/hunter/);
  }
});

it("config show --json is one list of values with stable keys", async () => {
  const values = JSON.parse((await show("--json")).stdout) as Record<string, unknown>[];
  expect(values.every((value) => Object.keys(value).join() === "path,value,origin,secret")).toBe(true);
  expect(values).toContainEqual({
    path: "routes.b.output.custom.config.token",
    value: "***",
    origin: "mqb.yaml:10:99, from TOKEN",
    secret: true,
  });
});
