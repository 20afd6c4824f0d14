import { type Bridge, createBridge, createRegistry } from "@mqb/core";
import { batchOf, definePlugin, Message, type Publisher } from "@mqb/core/plugin";
import { CollectingPublisher, dropping, FakeClock, fakePlugin, integer, type Random, randomFrom } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import standard from "../../src/index.ts";
import { busy, cut, rejected } from "../failures.ts";
import { fakeExpressions } from "../fake-expressions.ts";
import { NEVER } from "../opened.ts";

/** Numbers that look random and are the same for the same seed. */
class Dice {
  private readonly random: Random;

  constructor(seed: number) {
    this.random = randomFrom(seed);
  }

  /** A whole number below `sides`. */
  roll(sides: number): number {
    return integer(this.random, 0, sides - 1);
  }

  between(least: number, most: number): number {
    return least + this.roll(most - least + 1);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.roll(list.length)]!;
  }
}

type Make = (dice: Dice) => Record<string, unknown>;

const BOTH: readonly Make[] = [
  (dice) => ({ buffer: { max_messages: dice.between(1, 20), max_delay_ms: dice.roll(50) } }),
  (dice) => ({ limiter: { messages_per_second: 10 ** dice.between(1, 5) } }),
  (dice) => ({ delay: { delay_ms: dice.roll(5) } }),
  () => ({ filter: "filtered" }),
  () => ({ cookie_jar: { capture_metadata_keys: ["g"], export_metadata_prefix: "s." } }),
  () => ({ metrics: {} }),
];
const INPUT: readonly Make[] = [
  ...BOTH,
  () => ({ drops_some: {} }),
  () => ({ id: "${metadata:g}" }),
  (dice) => ({
    weak_join: {
      group_by: "g",
      expected_count: dice.between(1, 4),
      timeout_ms: dice.between(1, 100),
      on_timeout: dice.pick(["fire", "discard"]),
    },
  }),
  (dice) => ({
    random_panic: { mode: dice.pick(["panic", "disconnect", "nack"]), trigger_on_message: dice.between(1, 6) },
  }),
];
const OUTPUT: readonly Make[] = [
  ...BOTH,
  // Longer than all buffers of a list wait together: with less, nothing would ever be sent.
  (dice) => ({ timeout: { timeout_ms: dice.between(300, 900) } }),
  (dice) => ({ retry: { max_attempts: dice.between(1, 4), initial_interval_ms: dice.roll(10), jitter: 0.5 } }),
  () => ({ dlq: { endpoint: { dead: {} } } }),
  (dice) => ({
    random_panic: {
      mode: dice.pick(["panic", "disconnect", "timeout", "nack"]),
      trigger_on_message: dice.between(1, 6),
    },
  }),
];

const listOf = (makes: readonly Make[], dice: Dice) =>
  Array.from({ length: dice.roll(5) }, () => dice.pick(makes)(dice));

/** Message `n`, which `filter` or `drops_some` takes out when its text says so. */
function message(n: number, dice: Dice): Message {
  const text = `m${n}. ${dice.pick(["", "", "", "", "filtered", "dropped"])}`;
  return new Message(text, new Map([["g", String(n % 7)]]));
}

/** The numbers of the messages that went into one. */
const members = (one: Message) => [...one.text().matchAll(/m(\d+)\./g)].map((match) => Number(match[1]));

async function remaining(bridge: Bridge, clock: FakeClock): Promise<Message[]> {
  const consumer = await bridge.openConsumer({ memory: { topic: "t", enable_nack: true } });
  const found: Message[] = [];
  for (;;) {
    const delivery = await clock.runUntil(consumer.receive(1_000, AbortSignal.abort()));
    await delivery.commit();
    if (delivery.batch.length === 0) break;
    found.push(...delivery.batch);
  }
  await consumer.close();
  return found;
}

/** One opening of a sink: a route that reconnects has several. */
function opening(sink: CollectingPublisher, violations: string[]): Publisher {
  let isClosed = false;
  return {
    send(batch, signal) {
      if (isClosed) violations.push("send was called after close");
      return sink.send(batch, signal);
    },
    async close() {
      isClosed = true;
    },
  };
}

async function run(seed: number) {
  const dice = new Dice(seed);
  const clock = new FakeClock();
  const sink = new CollectingPublisher();
  const dead = new CollectingPublisher();
  const refused = new Set<number>();
  // A source that takes nothing back loses what fails, so with it nothing does.
  const takesBack = dice.roll(5) > 0;
  const [forGood, forNow, broken] = takesBack ? [dice.roll(12), dice.roll(6), dice.roll(40)] : [0, 0, 0];
  sink.failWhen((one) => {
    if (dice.roll(100) < forGood) {
      for (const n of members(one)) refused.add(n);
      return rejected;
    }
    if (dice.roll(20) < forNow) return busy;
    return dice.roll(400) < broken ? cut : undefined;
  });
  const answers = dice.roll(3) === 0;
  if (answers) sink.replyWith((one) => new Message(`re: ${one.text()}`));
  const host = definePlugin({
    name: "host",
    apiVersion: 1,
    middlewares: { drops_some: dropping((one) => one.text().includes("dropped")) },
  });
  const violations: string[] = [];
  const fakes = fakePlugin({
    sink: { publisher: () => opening(sink, violations) },
    dead: { publisher: () => opening(dead, violations) },
  });
  const registry = createRegistry([standard, fakes, fakeExpressions, host]);
  const bridge = createBridge({ registry, clock, drainIdleMs: 1_000 });
  const count = dice.between(1, 80);
  const publisher = await bridge.openPublisher({ memory: { topic: "t", capacity: 1_000 } });
  const sent = Array.from({ length: count }, (_, n) => message(n, dice));
  for (let at = 0; at < count; ) {
    const size = dice.between(1, 9);
    await publisher.send(batchOf(sent.slice(at, at + size)), NEVER);
    at += size;
  }
  const harmless = (list: readonly object[]) =>
    takesBack ? list : list.filter((entry) => !("random_panic" in entry || "timeout" in entry));
  const config = {
    input: { memory: { topic: "t", enable_nack: takesBack }, middlewares: harmless(listOf(INPUT, dice)) },
    output: { sink: {}, middlewares: harmless(listOf(OUTPUT, dice)) },
    concurrency: dice.pick([1, 2, 8]),
    batch_size: dice.between(1, 16),
    exit_on_empty: true,
    reconnect_interval_ms: 1,
    allow_fault_injection: true,
  };
  const route = bridge.route("r", config);
  await route.start();
  if (takesBack && dice.roll(2) === 0) {
    await clock.advance(dice.roll(200));
    void route.stop({ graceMs: dice.roll(50) });
  }
  const result = await clock.runUntil(route.done, 24 * 3_600_000);
  return { config, sent, result, sink, dead, refused, violations, left: await remaining(bridge, clock), clock };
}

/** Whether a middleware may have taken a message out: itself, or the joined message that it went into. */
function takenOut(one: Message, sent: readonly Message[], list: readonly object[]): boolean {
  const joins = list.flatMap((entry) => ("weak_join" in entry ? [entry.weak_join as { on_timeout: string }] : []));
  if (joins.some((join) => join.on_timeout === "discard")) return true;
  const has = (name: string) => list.some((entry) => name in entry);
  const isOut = (text: string) =>
    (text.includes("filtered") && has("filter")) || (text.includes("dropped") && has("drops_some"));
  const isNear = (other: Message) => other === one || (joins.length > 0 && group(other) === group(one));
  return sent.some((other) => isNear(other) && isOut(other.text()));
}

const group = ({ metadata }: Message) => metadata.get("g");

describe("random lists, faults and stops: every message has a fate that can be told, and the counts add up", () => {
  const RUNS = Number(process.env["MQB_TEST_RANDOM_RUNS"] ?? 100);
  const PER_TEST = 20;
  it.each(Array.from({ length: RUNS / PER_TEST }, (_, i) => i * PER_TEST))(
    "seeds from %d",
    { timeout: 60_000 },
    async (first) => {
      for (let seed = first; seed < first + PER_TEST; seed++) {
        const { config, sent, result, sink, dead, refused, violations, left, clock } = await run(seed);
        const told = `seed ${seed}: ${JSON.stringify(config)}`;
        const { received, inFlight, ...endings } = result.accounting;
        const ended = Object.values(endings).reduce((sum, one) => sum + one, 0);
        expect({ inFlight, ended }, told).toEqual({ inFlight: 0, ended: received });
        const arrived = new Set([...sink.messages, ...dead.messages, ...left].flatMap(members));
        const lists = [...config.input.middlewares, ...config.output.middlewares];
        const lost = sent.filter((one, n) => !arrived.has(n) && !refused.has(n) && !takenOut(one, sent, lists));
        expect(
          lost.map((one) => one.text()),
          told,
        ).toEqual([]);
        expect([violations, clock.pending], told).toEqual([[], 0]);
      }
    },
  );
});
