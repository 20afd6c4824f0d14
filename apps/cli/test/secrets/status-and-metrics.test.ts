import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { registryWithStubs } from "../../../../packages/config/test/stubs/registry.ts";
import { main } from "../../src/main.ts";
import { scratchFolder } from "../support/cli.ts";
import { leaks, secretDocuments } from "./documents.ts";
import { told } from "./told.ts";

const STUBS = fileURLToPath(new URL("failing-stubs.ts", import.meta.url));
const scratch = scratchFolder();
afterAll(() => scratch.remove());

it("neither the status nor the metrics of routes that fail hold a part of a secret", async () => {
  const cwd = scratch.path;
  const env = { XDG_RUNTIME_DIR: cwd, MQB_STATUS_SHOW_ERRORS: "1", RUST_LOG: "trace" } as Record<string, string>;
  const routes: Record<string, object> = {
    // Keeps the process running.
    lasting: { input: { memory: { topic: "t" } }, output: { memory: { topic: "u" } } },
  };
  for (const { name, text, env: variables } of secretDocuments(await registryWithStubs())) {
    if (!name.startsWith("from_") && !name.startsWith("to_")) continue;
    writeFileSync(join(cwd, "config.json"), text);
    const { code } = await told(["check", "-c", "config.json", "--plugin", STUBS], { cwd, env: variables });
    if (code !== 0) continue;
    const named = Object.entries(variables).map(([key, value]) => [`${name.split(",")[0]}_${key}`, value] as const);
    Object.assign(env, Object.fromEntries(named));
    const renamed = text.replace(/\$\{(SECRET_\d+)\}/g, `\${${name.split(",")[0]}_$1}`);
    Object.assign(routes, (JSON.parse(renamed) as { routes: object }).routes);
  }
  expect(Object.keys(routes).length).toBeGreaterThan(20);
  for (const route of Object.values(routes)) Object.assign(route, { startup_timeout_ms: 50 });
  writeFileSync(join(cwd, "config.json"), JSON.stringify({ routes }));

  const stop = new AbortController();
  let text = "";
  let started = (): void => {};
  const isStarted = new Promise<void>((resolve) => {
    started = resolve;
  });
  const sink = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      if (/Started \d+ of/.test(text)) started();
      done();
    },
  });
  const argv = ["run", "-c", "config.json", "--plugin", STUBS, "--metrics-addr", "127.0.0.1:0"];
  const done = main({
    argv,
    environment: env,
    cwd,
    stop: stop.signal,
    stdout: () => sink,
    stderr: () => sink,
    terminal: false,
  });
  try {
    await Promise.race([isStarted, done.then(() => Promise.reject(new Error(`it ended:\n${text}`)))]);
    const folder = join(cwd, "mq-bridge-app", "instances");
    const records = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    expect(records.join()).toContain("cannot connect");
    const status = await told(["status", "--json"], { cwd, env });
    expect(status.stdout).toContain("cannot connect");
    const table = await told(["status", "--no-watch"], { cwd, env });
    const metrics = await fetched(`http://127.0.0.1:${/127\.0\.0\.1:(\d+)\/metrics/.exec(text)?.[1]}/metrics`);
    expect(metrics).toContain('route="from_amqp"');
    expect(leaks(...records, status.stdout, table.stdout, metrics)).toEqual([]);
  } finally {
    stop.abort();
    await done;
  }
  expect(leaks(text)).toEqual([]);
}, 60_000);

function fetched(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      response.on("end", () => resolve(body));
    }).on("error", reject);
  });
}
