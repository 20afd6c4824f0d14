import { performance } from "node:perf_hooks";
import type { Registry } from "@mqb/core";
import { pick, type Random, randomFrom } from "@mqb/testkit";
import { checkConfiguration, listValues, loadConfiguration, renderProblem, withSchemasOnce } from "../../src/index.ts";
import { mutate, randomEnvironment } from "./mutate.ts";

export interface FuzzResult {
  readonly count: number;
  /** With an error among their problems. */
  readonly refused: number;
  /** Of documents of at most 10 KB, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  readonly failures: readonly { readonly seed: number; readonly reason: string; readonly text: string }[];
}

export interface FuzzOptions {
  readonly registry: Registry;
  readonly documents: readonly string[];
  readonly count: number;
  readonly seed: number;
}

const DEFAULTS = { concurrency: 1, batch_size: 512 };
const STACK = /\n\s+at .*[:(]\d+:\d+|node_modules/;
const SMALL = 10 * 1024;

/** Loads, checks, renders and lists mutated documents; each has a seed of its own, so that it can be made again. */
export function fuzzDocuments({ registry, documents, count, seed }: FuzzOptions): FuzzResult {
  const known = withSchemasOnce(registry);
  const times: number[] = [];
  const failures: { seed: number; reason: string; text: string }[] = [];
  let refused = 0;
  for (let index = 0; index < count; index++) {
    const random = randomFrom(seed + index);
    const text = mutate(pick(random, documents), documents, random);
    const start = performance.now();
    let reason: string | undefined;
    try {
      const outcome = one(text, known, random);
      if (outcome.isRefused) refused += 1;
      reason = outcome.reason;
    } catch (error) {
      reason = `threw ${error instanceof Error ? error.stack : String(error)}`;
    }
    if (text.length <= SMALL) times.push(performance.now() - start);
    reason ??= polluted();
    if (reason !== undefined) failures.push({ seed: seed + index, reason, text });
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { count, refused, p50: at(0.5), p99: at(0.99), slowest: at(1), failures };
}

function one(text: string, registry: Registry, random: Random): { isRefused: boolean; reason?: string } {
  const format = random() < 0.1 ? "json" : "yaml";
  const configuration = loadConfiguration([{ name: "c", text, format }], randomEnvironment(random));
  const checked = checkConfiguration(configuration, registry, DEFAULTS);
  const shown = checked.problems.map((problem) => renderProblem(problem, { frame: true, color: true })).join("\n");
  listValues(configuration, checked);
  const isRefused = checked.problems.some((problem) => problem.level === "error");
  if (STACK.test(shown)) return { isRefused, reason: `a stack trace: ${shown}` };
  const hasPlace = checked.problems.every(({ at }) => at.offset >= 0 && at.line >= 0 && at.column >= 0);
  return hasPlace ? { isRefused } : { isRefused, reason: "a problem without a place" };
}

function polluted(): string | undefined {
  const own = Object.getOwnPropertyNames(Object.prototype);
  const known = Object.getOwnPropertyNames(Object.getPrototypeOf({}) as object).length;
  const probe = {} as Record<string, unknown>;
  if (probe["polluted"] !== undefined || own.length !== known || own.includes("polluted"))
    return "a prototype was changed";
  return undefined;
}
