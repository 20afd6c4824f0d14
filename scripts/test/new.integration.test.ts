import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WorkspaceCopy } from "./workspace-copy.ts";

const MADE = ["plugins/foo", "plugins/slow-mail", "plugins/bar"];

describe("pnpm new connector foo && pnpm new middleware bar", () => {
  let copy: WorkspaceCopy;
  const text = (path: string) => readFileSync(join(copy.folder, path), "utf8");
  const expectSuccess = async (...command: [string, ...string[]]) => {
    expect(await copy.run(...command)).toMatchObject({ code: 0 });
  };

  beforeAll(async () => {
    copy = new WorkspaceCopy();
    await expectSuccess("pnpm", "install", "--frozen-lockfile", "--prefer-offline");
    await expectSuccess("pnpm", "new", "connector", "foo");
    await expectSuccess("pnpm", "new", "connector", "slow-mail");
    await expectSuccess("pnpm", "new", "middleware", "bar");
  }, 240_000);
  afterAll(() => copy[Symbol.dispose]());

  it("leaves no name of the template behind", async () => {
    const { code, output } = await copy.run("grep", "-rilE", "pigeonhole|postmark", ...MADE, "--include=*.*");
    expect({ code, output }).toEqual({ code: 1, output: "" });
  });

  it("builds", () => expectSuccess("pnpm", "build"));

  it("lints and is formatted", async () => {
    await expectSuccess("pnpm", "exec", "biome", "ci", ...MADE);
    await expectSuccess("pnpm", "exec", "oxlint", "--type-aware", ...MADE);
  });

  it("passes its tests untouched", async () => {
    const { code, output } = await copy.run("pnpm", "vitest", "run", ...MADE);
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringMatching(/^[1-9]\d+ passed, 0 failed/m) });
  });

  it("has everything generated that follows from it", async () => {
    await expectSuccess("pnpm", "generate:check");
    expect(JSON.parse(text("plugins/slow-mail/package.json")).mqb).toMatchObject({ endpoints: ["slow_mail"] });
    expect(text("docs/reference/slow-mail.md")).toContain("Endpoint `slow_mail`");
    expect(text("docs/reference/errors.md")).toContain("MQB_SLOW_MAIL_BAD_FILE");
    expect(text(".changeset/new-bar.md")).toContain('"@mqb/bar": minor');
  });

  it("can be packed and published", async () => {
    for (const folder of MADE) await expectSuccess("pnpm", "--dir", folder, "run", "check:package");
  });

  it("refuses a name that is taken, or that is none", async () => {
    for (const [name, said] of [
      ["foo", "there is plugins/foo already"],
      ["memory", "brings `memory` already"],
      ["Foo", "no name"],
    ]) {
      expect(await copy.run("pnpm", "new", "connector", name!)).toMatchObject({
        code: 1,
        output: expect.stringContaining(said!),
      });
    }
    expect(existsSync(join(copy.folder, "plugins/memory"))).toBe(false);
  });
});
