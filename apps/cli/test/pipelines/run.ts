import aggregate from "@mqb/aggregate";
import compression from "@mqb/compression";
import { createBridge, createRegistry, type RouteResult } from "@mqb/core";
import { describeError, type Plugin } from "@mqb/core/plugin";
import dedup from "@mqb/dedup";
import encryption from "@mqb/encryption";
import expression from "@mqb/expression";
import lookup from "@mqb/lookup";
import standard from "@mqb/standard";
import { FakeClock, fakePlugin, integer, type Random, randomFrom } from "@mqb/testkit";
import transform from "@mqb/transform";
import { Faults } from "./faults.ts";
import { OrderedSource } from "./ordered-source.ts";
import { drawPipeline, FILTERED_KIND, type Pipeline, POISON } from "./pipeline.ts";
import { Sink } from "./sink.ts";
import { Queue, type Source } from "./source.ts";

const PLUGINS = [standard, expression, transform, compression, encryption, dedup, aggregate, lookup];
const MOST_FAULTS = 40;
const MOST_RUNS = 60;

export interface PipelineOutcome {
  readonly pipeline: Pipeline;
  /** What is wrong, in words; empty = every message has its fate. */
  readonly wrong: readonly string[];
}

export interface PipelineMore {
  /** One more middleware on the output, next to the others. */
  readonly output?: object;
  readonly plugins?: readonly Plugin[];
}

/** Draws a pipeline, runs it until its source is empty, through all faults and kills, and accounts for every message. */
export async function runPipeline(seed: number, more: PipelineMore = {}): Promise<PipelineOutcome> {
  const random = randomFrom(seed);
  const drawn = drawPipeline(random);
  const pipeline = more.output ? { ...drawn, output: [...drawn.output, more.output] } : drawn;
  const world = new World(pipeline, random, more.plugins);
  const wrong: string[] = [];
  let kills = pipeline.kills;
  let last = "";
  for (let run = 0; world.source.waiting > 0 || run === 0; run++) {
    if (run > MOST_RUNS) return { pipeline, wrong: [...wrong, `not at its end after ${run} runs: ${last}`] };
    const result = await world.run("main", kills > 0 ? integer(random, 0, 12) : undefined);
    if (kills > 0) kills -= 1;
    last = describeError(result.error);
    wrong.push(...imbalances("main", result));
  }
  // A cut before anything has arrived ends a drain; the topic keeps what is in it.
  for (let run = 0, ended = pipeline.wire.out.length === 0; !ended && run < MOST_RUNS; run++) {
    const result = await world.run("reader", undefined);
    wrong.push(...imbalances("reader", result));
    ended = result.outcome === "completed";
  }
  return { pipeline, wrong: [...wrong, ...world.source.violations, ...unexplained(pipeline, world)] };
}

class World {
  readonly source: Source;
  readonly sink: Sink;
  readonly other: Sink;
  readonly dead: Sink;
  private readonly clock = new FakeClock();
  private readonly bridge;
  private readonly routes: Readonly<Record<"main" | "reader", unknown>>;

  constructor(pipeline: Pipeline, random: Random, plugins: readonly Plugin[] = []) {
    const faults = new Faults(random, MOST_FAULTS);
    this.source = new (pipeline.ordered ? OrderedSource : Queue)(pipeline, faults, random);
    this.sink = new Sink(faults, pipeline.faults);
    this.other = new Sink(faults, pipeline.faults);
    this.dead = new Sink(faults, { busy: 0, cut: pipeline.faults.cut / 2 }, true);
    const fakes = fakePlugin({
      source: { consumer: () => this.source.open(), input: { commitsInOrder: pipeline.ordered } },
      sink: { publisher: () => this.sink.open() },
      other: { publisher: () => this.other.open() },
      dead: { publisher: () => this.dead.open() },
    });
    const registry = createRegistry([...PLUGINS, ...plugins, fakes]);
    this.bridge = createBridge({ registry, clock: this.clock });
    this.routes = routesOf(pipeline);
  }

  /** Until its source is empty, or until it is cut off in the middle. */
  async run(name: "main" | "reader", cutAfter: number | undefined): Promise<RouteResult> {
    const route = this.bridge.route(name, this.routes[name]);
    const started = route.start().catch(() => {});
    if (cutAfter !== undefined) {
      for (let turn = 0; turn < cutAfter; turn++) await new Promise(setImmediate);
      void route.stop({ graceMs: 0 });
    }
    const result = await this.clock.runUntil(route.done, undefined, 30_000);
    await started;
    return result;
  }
}

function routesOf(pipeline: Pipeline): Readonly<Record<"main" | "reader", unknown>> {
  const { input, output, wire, shape, concurrency, batchSize } = pipeline;
  const options = {
    concurrency,
    batch_size: batchSize,
    exit_on_empty: true,
    reconnect_interval_ms: 1,
    startup_timeout_ms: 24 * 60 * 60 * 1000,
  };
  const main = { ...options, input: { source: {}, middlewares: input } };
  const topic = { memory: { topic: "wire", capacity: 10_000, enable_nack: true } };
  const whole = { sink: {}, middlewares: output };
  if (wire.out.length > 0) {
    // Failures of the sink happen behind the second route; what is on the wire is as it is.
    return {
      main: { ...main, output: { ...topic, middlewares: wire.out } },
      reader: { ...options, input: { ...topic, middlewares: wire.in }, output: whole },
    };
  }
  const cases = [{ if: "k == 1", to: { other: {} } }];
  const shapes = {
    plain: whole,
    switch: { switch: { when: cases, default: { sink: {} } }, middlewares: output },
    fanout: { fanout: [{ sink: {} }, { other: {} }], middlewares: output },
  };
  return { main: { ...main, output: shapes[shape] }, reader: undefined };
}

function imbalances(name: string, { accounting }: RouteResult): string[] {
  const { received, inFlight, delivered, replied, filtered, deduplicated, deadLettered, dropped, nacked } = accounting;
  const ended = delivered + replied + filtered + deduplicated + deadLettered + dropped + nacked;
  if (received === ended && inFlight === 0) return [];
  return [`route ${name}: received ${received}, ended ${ended}, in flight ${inFlight}: ${JSON.stringify(accounting)}`];
}

/** Messages that were acknowledged and are nowhere, those that are where they must not be, and those that came too often. */
function unexplained(pipeline: Pipeline, world: World): string[] {
  const { source } = world;
  const wrong: string[] = [];
  for (const { id, k, message } of source.entries) {
    if (!source.wasAcked(message)) wrong.push(`message ${id} was never acknowledged`);
    else wrong.push(...misplaced(pipeline, world, id, k));
  }
  return isCalm(pipeline) ? [...wrong, ...repeated(pipeline, world)] : wrong;
}

function misplaced(pipeline: Pipeline, { sink, other, dead }: World, id: number, k: number): string[] {
  const at = [sink, other].filter(({ arrived }) => arrived.has(id)).length;
  if (pipeline.filters && k === FILTERED_KIND) return at > 0 ? [`message ${id} passed the filter`] : [];
  if (id % POISON === 0) {
    if (at > 0) return [`message ${id} was taken by a sink that refuses it`];
    const isKept = !pipeline.deadLetters || dead.arrived.has(id);
    return isKept ? [] : [`message ${id} was refused and has no dead letter`];
  }
  const needed = pipeline.shape === "fanout" ? 2 : 1;
  return at >= needed || dead.arrived.has(id) ? [] : [`message ${id} was acknowledged and is nowhere`];
}

/** Nothing goes wrong, so that nothing has to come twice. */
function isCalm({ faults, kills }: Pipeline): boolean {
  return kills === 0 && Object.values(faults).every((chance) => chance === 0);
}

function repeated(pipeline: Pipeline, { source, sink, other, dead }: World): string[] {
  const wrong: string[] = [];
  for (const { arrived } of [sink, other, dead]) {
    for (const [id, times] of arrived) {
      const wanted = pipeline.deduplicates ? 1 : source.entries.filter((one) => one.id === id).length;
      if (times !== wanted) wrong.push(`message ${id} came ${times} times, not ${wanted}`);
    }
  }
  return wrong;
}
