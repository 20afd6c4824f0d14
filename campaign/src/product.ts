import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type ProcessEnd, type RunningProcess, runProcess, within } from "@mqb/testkit";

const ROOT = new URL("../../", import.meta.url);
const CLI = fileURLToPath(new URL("apps/cli/dist/mqb.cjs", ROOT));
const CLOCK = pathToFileURL(fileURLToPath(new URL("clock.mjs", import.meta.url))).href;
const START_MS = 180_000;
/** What it grants what is in flight and its ends when it is asked to end, and as much again for a busy machine. */
const END_MS = 20_000;
const LOOK_MS = 250;

export interface Setup {
  /** Where it runs; its configuration is written there. */
  readonly folder: string;
  /** Package folders or files that its configuration lists. */
  readonly plugins: readonly string[];
  /** The route as it is run; `draining` also decides what slows it down. */
  readonly route: (draining: boolean) => object;
}

/** The program under test: the built command, in a process of its own, started anew again and again. */
export class Product {
  /** Reconnects of all processes so far, by their log. */
  reconnects = 0;
  /** Ends that nobody asked for, and such as were not as they should be. */
  readonly complaints: string[] = [];
  private readonly setup: Setup;
  private running: RunningProcess | undefined;

  constructor(setup: Setup) {
    this.setup = setup;
  }

  /** Starts it unless it runs. One that has ended by itself is a complaint. */
  async start(): Promise<void> {
    const { running } = this;
    if (running && !(await hasEnded(running))) return;
    if (running) await this.endedByItself(running);
    this.running = this.spawn(false);
    await within(this.running.line(/at_(?:least|most)_once|effectively_once/), "the start of mqb", START_MS);
  }

  async kill(): Promise<void> {
    const { running } = this;
    if (!running) return;
    this.running = undefined;
    this.tell(running, await running.kill("SIGKILL"));
  }

  /** Asks it to end, which must succeed, and soon. */
  async terminate(): Promise<void> {
    const { running } = this;
    if (!running) return;
    this.running = undefined;
    const began = performance.now();
    const end = await running.kill("SIGTERM");
    const took = performance.now() - began;
    if (end.code !== 0) this.complain(running, `it ended with ${end.code ?? end.signal} when it was asked to end`);
    if (took > END_MS) this.complain(running, `it took ${Math.round(took)} ms to end`);
    this.tell(running, end);
  }

  /** Runs it until every source is empty, or `standsStill` says that it never will be. */
  async drain(standsStill: () => Promise<boolean>): Promise<void> {
    await this.terminate();
    const running = this.spawn(true);
    while (!(await hasEnded(running))) {
      await Promise.race([running.ended, wait(LOOK_MS)]);
      if (!(await standsStill())) continue;
      this.complain(running, "the drain did not end, and nothing moved any more");
      return this.tell(running, await running.kill());
    }
    const end = await running.ended;
    if (end.code !== 0) this.complain(running, `the drain ended with ${end.code ?? end.signal}`);
    this.tell(running, end);
  }

  /** Moves its wall clock, as somebody does who sets the time. Its other clocks go on. */
  async jump(): Promise<void> {
    const { running } = this;
    // One that has ended by itself is found by the next start.
    if (running?.pid !== undefined && !(await hasEnded(running))) process.kill(running.pid, "SIGUSR2");
  }

  async close(): Promise<void> {
    await this.running?.kill();
  }

  private spawn(draining: boolean): RunningProcess {
    const { folder, plugins, route } = this.setup;
    const config = join(folder, "mqb.json");
    writeFileSync(config, JSON.stringify({ plugins, routes: { campaign: route(draining) } }, null, 2));
    const flags = draining ? ["--drain"] : [];
    return runProcess({
      args: ["--import", CLOCK, CLI, "run", "-c", config, "--no-metrics", "--no-ui", ...flags],
      cwd: folder,
      // Reconnects are counted from the log.
      env: { NO_COLOR: "1", RUST_LOG: undefined },
    });
  }

  private async endedByItself(running: RunningProcess): Promise<void> {
    const end = await running.ended;
    this.running = undefined;
    this.complain(running, `it ended by itself with ${end.code ?? end.signal}`);
    this.tell(running, end);
  }

  private complain(running: RunningProcess, what: string): void {
    this.complaints.push(
      `${what}\n${`${running.stdout}${running.stderr}`.trimEnd().split("\n").slice(-15).join("\n")}`,
    );
  }

  private tell(running: RunningProcess, { code, signal }: ProcessEnd): void {
    const text = `${running.stdout}${running.stderr}--- ended with ${code ?? signal}\n`;
    appendFileSync(join(this.setup.folder, "product.log"), text);
    this.reconnects += text.match(/next try in \d+ ms/g)?.length ?? 0;
  }
}

async function hasEnded(running: RunningProcess): Promise<boolean> {
  let ended = false;
  running.ended.then(
    () => (ended = true),
    () => (ended = true),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return ended;
}
