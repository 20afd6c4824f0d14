import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type RunningProcess, runProcess, within } from "@mqb/testkit";
import { positionedInput } from "../ends/file.ts";
import type { World } from "../pairs/pair.ts";
import type { Broker } from "./brokers.ts";
import { RowReader, RowWriter } from "./rows.ts";
import { growing, type Sample } from "./verdict.ts";

const CLI = fileURLToPath(new URL("../../../apps/cli/dist/mqb.cjs", import.meta.url));
const GAUGE = pathToFileURL(fileURLToPath(new URL("gauge.mjs", import.meta.url))).href;
const BATCH = 512;
const START_MS = 60_000;
const LAST_LINES = 30;
/** How long the highest rate is looked for: the first part fills what can be filled. */
const WARM_MS = 10_000;
const MEASURE_MS = 15_000;
/** A server that is back may take a while to give out what was in flight. */
const STANDS_STILL_MS = 120_000;

export interface SoakOptions {
  readonly seconds: number;
  /** Seconds between two restarts of the broker; 0 = none. */
  readonly restartEvery: number;
  /** Rows a second [half of the most]. */
  readonly rate: number | undefined;
  readonly log: (line: string) => void;
}

export interface SoakResult {
  readonly broker: string;
  readonly seconds: number;
  /** Rows a second: what went through at most; 0 when it was not looked for. */
  readonly most: number;
  /** Rows a second that were put in. */
  readonly rate: number;
  readonly restarts: number;
  readonly rows: number;
  readonly lost: number;
  readonly twice: number;
  readonly foreign: number;
  readonly reconnects: number;
  /** Of the program, as a part of one core. */
  readonly cpu: number;
  readonly samples: readonly Sample[];
  readonly faults: readonly string[];
}

/** One process with two routes, a file into the broker and the broker into a named pipe, for a long time. */
export async function runSoak(
  name: string,
  open: (world: World) => Promise<Broker>,
  options: SoakOptions,
): Promise<SoakResult> {
  const folder = mkdtempSync(join(tmpdir(), "mqb-soak-"));
  const undos: (() => unknown)[] = [];
  try {
    const broker = await open({ folder, defer: (undo) => void undos.push(undo) });
    const [input, output] = [join(folder, "in"), join(folder, "out")];
    writeFileSync(input, "");
    execFileSync("mkfifo", [output]);
    const reader = new RowReader(output);
    undos.push(() => reader.close());
    const running = start(broker, folder, input, output);
    undos.push(() => running.kill().catch(() => {}));
    const writer = new RowWriter(input, reader);
    await within(running.line(/at_(?:least|most)_once|effectively_once/), "the start of mqb", START_MS);
    return await new Soak(name, broker, running, writer, reader, folder, options).run();
  } finally {
    for (const undo of undos.reverse()) await undo();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function start(broker: Broker, folder: string, input: string, output: string): RunningProcess {
  const common = { batch_size: BATCH, concurrency: 2, reconnect_interval_ms: 200 };
  const [[type, endpoint]] = Object.entries(broker.endpoint) as [[string, object]];
  const routes = {
    in: { ...common, input: positionedInput(input), output: broker.endpoint },
    out: {
      ...common,
      input: { [type]: { ...endpoint, ...broker.reading } },
      output: { file: { path: output, format: "raw" } },
    },
  };
  const config = join(folder, "mqb.json");
  writeFileSync(config, JSON.stringify({ plugins: broker.plugins, routes }, null, 2));
  return runProcess({
    args: ["--import", GAUGE, CLI, "run", "-c", config, "--no-metrics", "--no-ui"],
    cwd: folder,
    env: { NO_COLOR: "1", RUST_LOG: undefined, MQB_SOAK_GAUGE: join(folder, "gauge") },
  });
}

class Soak {
  private readonly name: string;
  private readonly broker: Broker;
  private readonly running: RunningProcess;
  private readonly writer: RowWriter;
  private readonly reader: RowReader;
  private readonly gauge: string;
  private readonly options: SoakOptions;
  private restarts = 0;
  private readonly faults: string[] = [];

  constructor(
    name: string,
    broker: Broker,
    running: RunningProcess,
    writer: RowWriter,
    reader: RowReader,
    folder: string,
    options: SoakOptions,
  ) {
    this.name = name;
    this.broker = broker;
    this.running = running;
    this.writer = writer;
    this.reader = reader;
    this.gauge = join(folder, "gauge");
    this.options = options;
  }

  async run(): Promise<SoakResult> {
    const { writer, reader, running, options } = this;
    const ended = running.ended.then(({ code, signal }) => {
      this.faults.push(`the process ended by itself with ${code ?? signal}`);
    });
    const most = options.rate === undefined ? await this.most() : 0;
    const rate = options.rate ?? most / 2;
    const [before, began, rows] = [this.samples().length, performance.now(), writer.rows];
    await writer.pace(rate);
    await Promise.race([this.hold(), ended]);
    await writer.pause();
    const seconds = (performance.now() - began) / 1000;
    const samples = this.samples().slice(before);
    const put = (writer.rows - rows) / seconds;
    await this.settle();
    await this.stop();
    const lost = writer.rows - reader.rows;
    if (lost > 0) this.faults.push(`${lost} rows lost`);
    if (reader.foreign > 0) this.faults.push(`${reader.foreign} lines that nobody wrote`);
    return {
      ...{ broker: this.name, seconds, most, rate: put, restarts: this.restarts, rows: writer.rows, lost },
      ...{ twice: reader.twice, foreign: reader.foreign, samples },
      reconnects: `${running.stdout}${running.stderr}`.match(/next try in \d+ ms/g)?.length ?? 0,
      cpu: samples.length > 1 ? (samples.at(-1)!.cpu - samples[0]!.cpu) / seconds : 0,
      faults: this.withOutput([...growing(samples), ...this.faults]),
    };
  }

  /** And what the process has said last. */
  private withOutput(faults: readonly string[]): readonly string[] {
    if (faults.length === 0) return faults;
    const output = `${this.running.stdout}${this.running.stderr}`.trimEnd().split("\n");
    return [...faults, ...output.slice(-LAST_LINES)];
  }

  /** Rows a second that go through when as many are put in as are taken; and then everything is brought to its end. */
  private async most(): Promise<number> {
    const { writer, reader, options } = this;
    await writer.pace(Number.POSITIVE_INFINITY);
    await wait(WARM_MS);
    const [rows, began] = [reader.rows, performance.now()];
    await wait(MEASURE_MS);
    const most = ((reader.rows - rows) / (performance.now() - began)) * 1000;
    await writer.pause();
    await this.settle();
    options.log(`${Math.round(most)} rows a second go through at most`);
    return most;
  }

  private async hold(): Promise<void> {
    const { seconds, restartEvery, log } = this.options;
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      const left = end - performance.now();
      await wait(restartEvery > 0 ? Math.min(left, restartEvery * 1000) : left);
      // One at the end would be looked at by nobody.
      if (end - performance.now() < 1000) return;
      await this.broker.server.restart();
      this.restarts += 1;
      const last = this.samples().at(-1);
      log(
        `restart ${this.restarts}, ${this.writer.rows} rows in, ${this.reader.rows} out, ${Math.round((last?.rss ?? 0) / 1e6)} MB, ${last?.handles} handles, ${last?.fds} files`,
      );
    }
  }

  /** Until every row is out, or nothing moves any more. */
  private async settle(): Promise<void> {
    let last = { rows: -1, at: performance.now() };
    while (this.reader.rows < this.writer.rows && performance.now() - last.at < STANDS_STILL_MS) {
      if (this.reader.rows !== last.rows) last = { rows: this.reader.rows, at: performance.now() };
      await wait(100);
    }
  }

  private async stop(): Promise<void> {
    const faults = this.faults.length;
    const { code, signal } = await this.running.kill("SIGTERM");
    // Its own end is no fault now.
    this.faults.splice(faults, this.faults.length - faults);
    if (code !== 0) this.faults.push(`it ended with ${code ?? signal} when it was asked to end`);
  }

  private samples(): readonly Sample[] {
    if (!existsSync(this.gauge)) return [];
    const lines = readFileSync(this.gauge, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Sample);
  }
}
