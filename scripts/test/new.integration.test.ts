import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WorkspaceCopy } from "./workspace-copy.ts";

/** The last has a name of two words, which is spelled differently as a package, a key, a class and a code. */
const MADE = ["plugins/foo", "plugins/bar", "plugins/slow-mail"];
const LONG = 240_000;

describe("pnpm new connector foo && pnpm new middleware bar", () => {
  let copy: WorkspaceCopy;
  const text = (path: string) => readFileSync(join(copy.folder, path), "utf8");
  const succeed = async (...command: [string, ...string[]]): Promise<string> => {
    const { code, output } = await copy.run(...command);
    if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${output}`);
    return output;
  };

  beforeAll(async () => {
    copy = new WorkspaceCopy();
    await succeed("pnpm", "install", "--frozen-lockfile", "--prefer-offline");
    await succeed("pnpm", "new", "connector", "foo");
    await succeed("pnpm", "new", "middleware", "bar");
    await succeed("pnpm", "new", "connector", "slow-mail");
  }, LONG);
  afterAll(() => copy[Symbol.dispose]());

  it("leaves no name of the template behind", async () => {
    const { code, output } = await copy.run("grep", "-rilE", "pigeonhole|postmark", ...MADE, "--include=*.*");
    expect({ code, output }).toEqual({ code: 1, output: "" });
  });

  it(
    "builds, tests included",
    () => succeed("pnpm", "exec", "tsc", "-b", ...MADE.flatMap((it) => [it, `${it}/test`])),
    LONG,
  );

  it("lints and is formatted", async () => {
    await succeed("pnpm", "exec", "biome", "ci", "--error-on-warnings", ...MADE);
    await succeed("pnpm", "exec", "oxlint", "--type-aware", ...MADE);
  });

  it(
    "passes its tests untouched",
    async () => {
      const output = await succeed("pnpm", "vitest", "run", "plugins/foo", "plugins/bar");
      expect(output).toMatch(/^[1-9]\d\d passed, 0 failed, 0 skipped$/m);
      await succeed("pnpm", "vitest", "run", "--project", "unit", "plugins/slow-mail");
    },
    LONG,
  );

  it("has everything generated that follows from it", async () => {
    await succeed("pnpm", "generate:check");
    expect(JSON.parse(text("plugins/slow-mail/package.json")).mqb).toMatchObject({ endpoints: ["slow_mail"] });
    expect(text("docs/reference/slow-mail.md")).toContain("Endpoint `slow_mail`");
    expect(text("docs/reference/errors.md")).toContain("MQB_SLOW_MAIL_BAD_FILE");
    expect(text(".changeset/new-bar.md")).toContain('"@mqb/bar": minor');
  });

  it(
    "can be packed and published",
    async () => {
      for (const folder of ["plugins/foo", "plugins/bar"])
        await succeed("pnpm", "--dir", folder, "run", "check:package");
    },
    LONG,
  );

  const refused = [
    ["foo", "there is plugins/foo already"],
    ["memory", "brings `memory` already"],
    ["Foo", "is no name for a package"],
  ] as const;
  it.each(refused)("refuses the name %s: %s", async (name, said) => {
    const { code, output } = await copy.run("pnpm", "new", "connector", name);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(said) });
    expect(existsSync(join(copy.folder, "plugins/memory"))).toBe(false);
  });
});
