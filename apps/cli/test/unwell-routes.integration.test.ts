import { appendFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { buildCli, type Running, startCli } from "./support/cli.ts";
import { fileHolds } from "./support/files.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url));
const PLUGINS = `plugins: [${fixture("unwell")}, ${fixture("late")}]\n`;
const WELL = `  well:
    input: { file: { path: in.txt, format: raw, mode: subscribe } }
    output: { file: { path: out.txt, format: raw } }
`;
const FAST = "    startup_timeout_ms: 100\n    reconnect_interval_ms: 50\n";
const configuration = (...routes: string[]): string => `${PLUGINS}routes:\n${WELL}${routes.join("")}`;

async function running(
  test: (run: Running, health: () => Promise<string>, metrics: () => Promise<string>) => Promise<void>,
) {
  folder.write("in.txt", "");
  const env = { XDG_RUNTIME_DIR: folder.path };
  const run = startCli(["run", "--metrics-addr", "127.0.0.1:0"], { cwd: folder.path, env });
  try {
    await run.stderr(/Started/);
    const url = /metrics at (http:\S+)\/metrics/.exec(run.text())![1]!;
    const get = async (path: string): Promise<string> => await (await fetch(url + path)).text();
    await test(
      run,
      () => get("/health"),
      () => get("/metrics"),
    );
  } finally {
    run.child.kill();
    await run.done;
  }
}

async function wellGoesOn(line: string): Promise<void> {
  appendFileSync(join(folder.path, "in.txt"), `${line}\n`);
  await fileHolds(join(folder.path, "out.txt"), line);
}

it("a route whose source refuses it for good is seen everywhere, and the others go on", async () => {
  folder.write("config.yml", configuration("  sick:\n    input: { rejected: {} }\n"));
  await running(async (run, health, metrics) => {
    expect(await health()).toBe("OK\n");
    folder.write("rotated", "");
    await run.stderr(/ERROR.*sick.*the password is not accepted any more/);
    await expect.poll(health).toBe("sick: failed\n");
    const text = await metrics();
    expect(text).toContain('mqb_route_up{route="sick"} 0\n');
    expect(text).toContain('mqb_route_up{route="well"} 1\n');
    // The record of a process is written every 2 s.
    const status = async (): Promise<string> =>
      (await folder.mqb(["status", "--no-watch"], { XDG_RUNTIME_DIR: folder.path })).stdout;
    await expect.poll(status, { timeout: 10_000 }).toMatch(/sick .*failed/);
    await wellGoesOn("one");
  });
});

it("a route whose sink is not there yet says so, keeps nobody else from starting, and works when it is", async () => {
  folder.write("config.yml", configuration(`  early:\n${FAST}    input: { static: x }\n    output: { late: {} }\n`));
  await running(async (run, health, metrics) => {
    expect(run.text()).toMatch(/Started 1 of 2 enabled routes connecting=early/);
    await wellGoesOn("one");
    expect(await health()).toBe("early: connecting\n");
    expect(await metrics()).toContain('mqb_route_up{route="early"} 0\n');
    await run.stderr(/early.*ECONNREFUSED/);
    folder.write("ready", "");
    await run.stderr(/late opened/);
    await expect.poll(health).toBe("OK\n");
  });
});

it("a copy to a sink that is not there gives up after its time, and says why", async () => {
  folder.write("in.txt", "1\n");
  const { code, stderr } = await folder.mqb(["copy", "file:in.txt", "late:", "--plugin", fixture("late"), "--drain"]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/copy failed after 0 rows: .*ECONNREFUSED/)]);
});

it("a reload to a sink that is not there replaces the route, which goes on trying; a later good one is taken up", async () => {
  const route = (output: string): string =>
    `  orders:\n${FAST}    input: { file: { path: in.txt, format: raw, mode: subscribe } }\n    output: { ${output} }\n`;
  folder.write("config.yml", configuration(route("file: { path: a.txt, format: raw }")));
  await running(async (run, health) => {
    folder.write("config.yml", configuration(route("late: {}")));
    run.child.kill("SIGHUP");
    await run.stderr(/route orders is not connected yet, and goes on trying/);
    await run.stderr(/configuration reloaded added=0 changed=1/);
    expect(await health()).toBe("orders: connecting\n");
    await wellGoesOn("one");
    folder.write("config.yml", configuration(route("file: { path: b.txt, format: raw }")));
    run.child.kill("SIGHUP");
    await run.stderr(/route orders was started/);
    await wellGoesOn("two");
    await fileHolds(join(folder.path, "b.txt"), "two");
    expect(await health()).toBe("OK\n");
  });
});

it("a reload to a port that is taken leaves the route as it was", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as AddressInfo;
  const route = (at: number): string => `  listens:\n    input: { listener: { port: ${at} } }\n`;
  folder.write("config.yml", configuration(route(0)));
  await running(async (run, health) => {
    folder.write("config.yml", configuration(route(port)));
    run.child.kill("SIGHUP");
    await run.stderr(new RegExp(`route listens could not be started: .*port ${port}: EADDRINUSE`));
    await run.stderr(/route listens goes on as it was before/);
    await run.stderr(/configuration reloaded/);
    expect(await health()).toBe("OK\n");
    await wellGoesOn("one");
  }).finally(() => other.close());
});
