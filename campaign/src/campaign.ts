import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { eventKinds, happen, settle } from "./events.ts";
import { judge, rowText, type Tally } from "./ledger.ts";
import type { OpenPair, Pair } from "./pairs/pair.ts";
import { type EventKind, type PlannedRound, plan } from "./plan.ts";
import { Product } from "./product.ts";

const BATCH = 64;
const COMMIT_LIMIT = 2;
const MOVES_WITHIN_MS = 60_000;
const LOOK_MS = 10;
/** On a machine that is busy with other things a process alone takes seconds until it connects. */
const OPEN_MS = 30_000;
/** A server may give back what was in flight only after a while; who makes no headway for so long makes none. */
const STANDS_STILL_MS = 120_000;

export interface CampaignOptions {
  readonly rounds: number;
  readonly seed: number;
  /** No round begins after so many minutes [no limit]. */
  readonly minutes?: number;
  /** Only these happen [everything that can]. */
  readonly events?: readonly EventKind[];
  /** A middleware of `faults/` on the input: the campaign must find what it breaks. */
  readonly fault?: string;
  /** Keep the folder and say where it is. */
  readonly keep?: boolean;
  readonly log?: (line: string) => void;
}

export interface CampaignResult {
  readonly pair: string;
  readonly seed: number;
  /** That were run. */
  readonly rounds: number;
  readonly tally: Tally;
  /** How many rows may come twice. */
  readonly bound: number;
  /** What has happened, by kind. */
  readonly events: Readonly<Record<string, number>>;
  /** Events that came while rows were moving. */
  readonly hits: number;
  readonly reconnects: number;
  /** Why the campaign has failed; empty when it has held. */
  readonly faults: readonly string[];
  readonly seconds: number;
}

/** Runs a pair for so many rounds, and says what has become of every row. */
export async function runCampaign(pair: Pair, options: CampaignOptions): Promise<CampaignResult> {
  const folder = mkdtempSync(join(tmpdir(), "mqb-campaign-"));
  // Servers that run as users of their own have their data in it.
  chmodSync(folder, 0o711);
  const began = performance.now();
  const undos: (() => unknown)[] = [];
  const ran = { pair: pair.name, seed: options.seed, rounds: options.rounds };
  const seconds = (): number => (performance.now() - began) / 1000;
  try {
    const open = await pair.open({ folder, defer: (undo) => void undos.push(undo) });
    const product = new Product(setup(open, folder, options.fault));
    undos.push(() => product.close());
    const run = new Run(open, product, options.log ?? (() => {}));
    const kinds = eventKinds(open.faults).filter((kind) => options.events?.includes(kind) ?? true);
    const until = performance.now() + 60_000 * (options.minutes ?? Number.POSITIVE_INFINITY);
    for (const round of plan(options.seed, options.rounds, kinds)) {
      if (performance.now() > until) break;
      await run.round(round);
    }
    await run.end();
    const tally = judge(run.rows, await open.sink.arrivals(), open.order);
    const bound = run.bound();
    return {
      ...ran,
      rounds: run.rounds,
      tally,
      bound,
      events: run.counts,
      hits: run.hits,
      reconnects: product.reconnects,
      faults: [...faultsOf(tally, bound), ...missed(run.hits, run.rounds), ...product.complaints],
      seconds: seconds(),
    };
  } catch (error) {
    // A server that does not start, for example: no word about the product.
    const faults = [`the campaign itself has failed: ${(error as Error).message}`];
    return {
      ...ran,
      tally: judge(0, [], "none"),
      bound: 0,
      events: {},
      hits: 0,
      reconnects: 0,
      faults,
      seconds: seconds(),
    };
  } finally {
    for (const undo of undos.reverse()) await undo();
    if (options.keep) options.log?.(`kept ${folder}`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** What is wrong with what came out. */
export function faultsOf(tally: Tally, bound: number): string[] {
  const { lost, foreign, doubled, reordered, examples } = tally;
  const found: string[] = [];
  if (lost > 0) found.push(`${lost} rows lost`);
  if (foreign > 0) found.push(`${foreign} lines that nobody wrote`);
  if (doubled > bound) found.push(`${doubled} rows came twice, ${bound} may`);
  if (reordered > 0) found.push(`${reordered} rows out of their order`);
  return found.length > 0 ? [...found, ...examples] : found;
}

/** Events that fall where nothing moves prove nothing. */
function missed(hits: number, rounds: number): string[] {
  return hits < rounds / 2 ? [`only ${hits} of ${rounds} events came while rows were moving`] : [];
}

function setup(open: OpenPair, folder: string, fault: string | undefined): ConstructorParameters<typeof Product>[0] {
  const broken = fault === undefined ? [] : [join(import.meta.dirname, "..", "faults", `${fault}.mjs`)];
  const breaking = fault === undefined ? [] : [{ [fault.replaceAll("-", "_")]: {} }];
  return {
    folder,
    plugins: [...open.plugins, ...broken],
    route: (draining) => ({
      concurrency: open.concurrency,
      batch_size: BATCH,
      commit_concurrency_limit: COMMIT_LIMIT,
      reconnect_interval_ms: 100,
      startup_timeout_ms: OPEN_MS,
      input: { ...open.input, middlewares: [...(open.inputMiddlewares ?? []), ...breaking] },
      output: { ...open.output, middlewares: [...(open.outputMiddlewares ?? []), ...slow(draining)] },
    }),
  };
}

/** Slow enough that events fall into the movement. */
function slow(draining: boolean): object[] {
  return draining ? [] : [{ delay: { delay_ms: 12 } }];
}

class Run {
  rows = 0;
  rounds = 0;
  hits = 0;
  readonly counts: Record<string, number> = {};
  private readonly open: OpenPair;
  private readonly product: Product;
  private readonly log: (line: string) => void;

  constructor(open: OpenPair, product: Product, log: (line: string) => void) {
    this.open = open;
    this.product = product;
    this.log = log;
  }

  async round({ rows: planned, event }: PlannedRound): Promise<void> {
    const { open, product } = this;
    const rows = Math.ceil(planned * (open.share ?? 1));
    const before = await open.sink.progress();
    await open.source.append(Array.from({ length: rows }, (_, i) => rowText(this.rows + i)));
    this.rows += rows;
    await product.start();
    if (await this.moves(before)) {
      this.hits++;
      await wait(event.afterMs);
    }
    this.counts[event.kind] = (this.counts[event.kind] ?? 0) + 1;
    await happen(event, product, open.faults);
    if (++this.rounds % 20 === 0) this.log(`${this.rounds} rounds, ${this.rows} rows in`);
  }

  /** Everything well again, and everything brought to its end. */
  async end(): Promise<void> {
    const { open, product } = this;
    await settle(open.faults);
    const standsStill = this.standstill();
    if (!open.source.isEmpty) return product.drain(standsStill);
    await product.start();
    while (!(await open.source.isEmpty())) {
      if (await standsStill()) {
        product.complaints.push("the source was not emptied, and nothing moved any more");
        break;
      }
      await wait(100);
      await product.start();
    }
    await product.terminate();
  }

  /** Whether nothing has arrived for so long that nothing will; a backlog may take its time. */
  private standstill(): () => Promise<boolean> {
    let last = { progress: Number.NaN, at: performance.now() };
    return async () => {
      const progress = await this.open.sink.progress();
      if (progress !== last.progress) last = { progress, at: performance.now() };
      return performance.now() - last.at > STANDS_STILL_MS;
    };
  }

  /**
   * Each event may make come twice what was in flight; so may each time that the route has connected again by itself.
   * What was asked to end, ends in order.
   */
  bound(): number {
    const { open, product, counts } = this;
    if (!open.mayDouble) return open.doubledByEnds?.() ?? 0;
    const asked = counts["terminate"] ?? 0;
    const events = Object.values(counts).reduce((sum, count) => sum + count, 0) - asked;
    return (events + product.reconnects) * (open.concurrency + COMMIT_LIMIT) * BATCH + (open.doubledByEnds?.() ?? 0);
  }

  private async moves(before: number): Promise<boolean> {
    const deadline = performance.now() + MOVES_WITHIN_MS;
    while ((await this.open.sink.progress()) <= before) {
      if (performance.now() > deadline) return false;
      await wait(LOOK_MS);
    }
    return true;
  }
}
