import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { bootstrap } from "../bootstrap.mjs";
import { root } from "../workspace.mjs";
import { ran } from "./workspace-copy.ts";

const examples = readdirSync(join(root, "examples")).filter((name) =>
  existsSync(join(root, "examples", name, "run.sh")),
);

/** Examples that need a server, and how they are told of the one that tests have. */
const NEEDS: Readonly<Record<string, readonly [server: string, ours: string, theirs: string]>> = {
  "mysql-changes": ["mariadb", "MQB_TEST_MARIADB_URL", "MYSQL_URL"],
  "nats-orders": ["nats", "MQB_TEST_NATS_URL", "NATS_URL"],
};

/** What an example needs beside the clone; undefined = there is no such server here. */
function needed(name: string): NodeJS.ProcessEnv | undefined {
  const [server, ours, theirs] = NEEDS[name] ?? [];
  if (server === undefined) return {};
  const url = process.env[ours!];
  if (url !== undefined) return { [theirs!]: url };
  const required = (process.env["MQB_TEST_REQUIRE"] ?? "").split(/[\s,]+/).includes(server);
  if (required) throw new Error(`${name} needs ${server}: scripts/services up ${server}`);
  return undefined;
}

describe("the examples", () => {
  let env: NodeJS.ProcessEnv;
  beforeAll(() => {
    env = bootstrap();
    env["PATH"] = [root, env["PATH"]].join(delimiter);
  });

  it.for(examples)("%s gives what it promises", async (name, context) => {
    const more = needed(name);
    if (!more) return context.skip(`needs ${NEEDS[name]![0]}`);
    const folder = join(root, "examples", name);
    const { code, output } = await ran("sh", ["run.sh"], folder, { ...env, ...more });
    if (code !== 0) throw new Error(`run.sh ended with ${code}:\n${output}`);
    const promised = readdirSync(join(folder, "expected"));
    expect(promised).not.toEqual([]);
    for (const file of promised) {
      const given = file === "output" ? output : readFileSync(join(folder, "out", file), "utf8");
      expect(given).toBe(readFileSync(join(folder, "expected", file), "utf8"));
    }
  });

  it("are all in the table of their README", () => {
    const listed = [...readFileSync(join(root, "examples/README.md"), "utf8").matchAll(/^\| \[([\w-]+)\]/gm)];
    expect(listed.map(([, name]) => name).sort()).toEqual(examples);
  });
});
