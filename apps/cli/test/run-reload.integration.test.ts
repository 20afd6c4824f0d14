import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, type Running, startCli } from "./support/cli.ts";
import { fileHolds } from "./support/files.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

const follow = (name: string, target = name): string =>
  `  ${name}:\n    input: { file: { path: in.txt, format: raw, mode: subscribe } }\n    output: { file: { path: ${target}.txt, format: raw } }\n`;
const configuration = (...routes: string[]): string => `routes:\n${routes.join("")}`;

/** Starts a run, waits for it, and ends it when the test has. */
async function running(flags: readonly string[], test: (run: Running) => Promise<void>): Promise<void> {
  folder.write("in.txt", "");
  const run = startCli(["run", "--no-metrics", ...flags], { cwd: folder.path });
  try {
    await run.stderr(/Started/);
    await test(run);
  } finally {
    run.child.kill();
    expect((await run.done).code).toBe(0);
  }
}

async function arrives(target: string, line: string): Promise<void> {
  appendFileSync(join(folder.path, "in.txt"), `${line}\n`);
  await fileHolds(join(folder.path, target), line);
}

describe("a changed configuration", () => {
  it("is taken up at SIGHUP: what differs is started anew, the rest goes on", async () => {
    folder.write("config.yml", configuration(follow("same"), follow("moves", "old"), follow("goes")));
    await running([], async ({ child, stderr }) => {
      await arrives("same.txt", "one");
      await fileHolds(join(folder.path, "old.txt"), "one");
      folder.write("config.yml", configuration(follow("same"), follow("moves", "new"), follow("comes")));
      child.kill("SIGHUP");
      await stderr(/configuration reloaded added=1 changed=1 removed=1 unchanged=1/);
      await arrives("new.txt", "two");
      await fileHolds(join(folder.path, "comes.txt"), "two");
      await fileHolds(join(folder.path, "same.txt"), "two");
      expect(readFileSync(join(folder.path, "old.txt"), "utf8")).toBe("one\n");
      expect(readFileSync(join(folder.path, "goes.txt"), "utf8")).toBe("one\n");
    });
  });

  it("is taken up when its file changes, with --watch", async () => {
    folder.write("config.yml", configuration(follow("first")));
    await running(["--watch"], async ({ stderr }) => {
      folder.write("config.yml", configuration(follow("first"), follow("second")));
      await stderr(/configuration reloaded added=1/);
      await arrives("second.txt", "one");
    });
  });

  it("with a fault in it changes nothing", async () => {
    folder.write("config.yml", configuration(follow("orders")));
    await running([], async ({ child, stderr }) => {
      folder.write("config.yml", configuration(follow("orders", "elsewhere"), "  broken: { inptu: 1 }\n"));
      child.kill("SIGHUP");
      await stderr(/config\.yml:\d+:\d+ routes\.broken.*did you mean "input"/s);
      await arrives("orders.txt", "one");
      expect(existsSync(join(folder.path, "elsewhere.txt"))).toBe(false);
    });
  });

  it.each([
    ["is gone for a moment", (path: string) => renameSync(path, `${path}.bak`)],
    ["is empty for a moment", (path: string) => writeFileSync(path, "")],
  ])("that %s changes nothing", async (_, damage) => {
    folder.write("config.yml", configuration(follow("orders")));
    await running([], async ({ child, stderr }) => {
      damage(join(folder.path, "config.yml"));
      child.kill("SIGHUP");
      await stderr(/everything goes on as before: .*(not there|no routes) any more/);
      await arrives("orders.txt", "one");
    });
  });

  it("stops what is gone before it starts what is new: a renamed route never runs beside itself", async () => {
    const cutting = (name: string): string =>
      `  ${name}:\n    input: { file: { path: in.txt, format: raw, delete: true } }\n    output: { file: { path: out.txt, format: raw } }\n`;
    folder.write("config.yml", configuration(cutting("before")));
    await running([], async ({ child, stderr, text }) => {
      folder.write("config.yml", configuration(cutting("after")));
      child.kill("SIGHUP");
      await stderr(/configuration reloaded added=1 changed=0 removed=1/);
      expect(text().indexOf("route before stopped")).toBeLessThan(text().indexOf("route after was started"));
    });
  });

  it("says which settings wait for the next start", async () => {
    folder.write("config.yml", configuration(follow("orders")));
    await running([], async ({ child, stderr }) => {
      folder.write("config.yml", `log_level: debug\n${configuration(follow("orders"))}`);
      child.kill("SIGHUP");
      await stderr(/log_level changed: that takes effect at the next start/);
    });
  });

  it("whose route cannot be opened leaves that route as it was", async () => {
    folder.write("config.yml", configuration(follow("orders")));
    await running([], async ({ child, stderr }) => {
      folder.write("folder.txt/file", "");
      folder.write("config.yml", configuration(follow("orders", "folder")));
      child.kill("SIGHUP");
      await stderr(/route orders goes on as it was before/);
      await stderr(/configuration reloaded/);
      await arrives("orders.txt", "one");
    });
  });

  it("can bring the first route", async () => {
    folder.write("config.yml", "routes: {}\n");
    folder.write("in.txt", "");
    const run = startCli(["run", "--no-metrics", "--watch"], { cwd: folder.path });
    await run.stderr(/nothing to run/);
    folder.write("config.yml", configuration(follow("orders")));
    await run.stderr(/configuration reloaded added=1/);
    await arrives("orders.txt", "one");
    run.child.kill();
    expect((await run.done).code).toBe(0);
  });
});
