import { describe, expect, it } from "vitest";
import { ACCEPTED, FILTERED, failed, type Outcome, replied } from "../../src/contract/disposition.ts";
import { MqbError } from "../../src/errors/mqb-error.ts";
import type { AccountingSnapshot } from "../../src/route/accounting.ts";
import type { FakeClock } from "../fakes/clock.ts";
import { never } from "../fakes/deferred.ts";
import { harness } from "../fakes/harness.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { Random } from "../fakes/random.ts";
import { LogSource, QueueSource } from "../fakes/redelivering-source.ts";
import { settled } from "../fakes/until.ts";

const MESSAGES = 60;
const SEEDS = 30;

function isBalanced({ received, inFlight, ...ended }: AccountingSnapshot): boolean {
  return inFlight >= 0 && received === inFlight + Object.values(ended).reduce((a, b) => a + b, 0);
}

/** One route with random faults everywhere; returns after everything has been acked, or after a stop in the middle. */
async function simulate(seed: number, kind: "queue" | "log") {
  const random = new Random(seed);
  const Source = kind === "log" ? LogSource : QueueSource;
  const source = new Source(MESSAGES, () => random.int(1, 8));
  const taken = new Set<string>();
  // Noted, not thrown: the route would take it for a fault of its ends.
  const wrong: string[] = [];
  const rate = [0, 0.05, 0.2][random.int(0, 2)]!;
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void h.clock.timer(ms, resolve));
  const pauses = random.chance(0.5);
  const stuck = random.chance(0.3);

  const disturb = async (): Promise<void> => {
    watch();
    if (pauses && random.chance(0.5)) await wait(random.int(0, 40));
    if (!random.chance(rate)) return;
    if (stuck && random.chance(0.3)) return never();
    throw random.chance(0.5) ? new Error("fault") : new MqbError("MQB_FAKE_AWAY", "connection", "fault");
  };
  source.beforeReceive = disturb;
  source.beforeCommit = disturb;
  source.onAck = (text) => {
    if (!taken.has(text)) wrong.push(`message ${text} was acked before the sink had it`);
  };
  const outcome = (text: string): Outcome => {
    if (random.chance(rate)) {
      return failed(random.chance(0.8) ? new Error("busy") : new MqbError("MQB_FAKE_AWAY", "connection", "away"));
    }
    taken.add(text);
    if (random.chance(0.05)) return failed(new MqbError("MQB_FAKE_BAD", "permanent", "bad"));
    return random.chance(0.9) ? ACCEPTED : random.chance(0.5) ? FILTERED : replied(expect.anything() as never);
  };
  const publisher = () =>
    new FakePublisher(async (batch) => {
      await disturb();
      const outcomes = Array.from(batch, (message) => outcome(message.text()));
      watch();
      return random.chance(0.5) && outcomes.every((one) => one === ACCEPTED) ? undefined : outcomes;
    });
  const h = harness({
    consumer: () => source.open(),
    publisher,
    input: { commitsInOrder: kind === "log" },
    output: { orderedPublish: random.chance(0.5) },
    route: {
      concurrency: random.int(1, 5),
      commit_concurrency_limit: random.int(1, 6),
      max_in_flight_bytes: random.int(1, 40),
      batch_size: random.int(1, 10),
      reconnect_interval_ms: random.int(0, 100),
      empty_batch_delay_ms: random.int(0, 20),
    },
    run: random.chance(0.5)
      ? {
          handler: (message) => {
            if (random.chance(rate)) throw new Error("handler");
            if (!random.chance(0.1)) return message;
            taken.add(message.text());
            return undefined;
          },
        }
      : {},
  });
  const watch = (): void => {
    const { accounting } = h.route.status();
    if (!isBalanced(accounting)) wrong.push(`out of balance: ${JSON.stringify(accounting)}`);
  };

  await h.clock.run(h.route.start());
  // A send that never settles holds its batch until somebody stops the route.
  const runsFor = stuck ? 20_000 : random.chance(0.3) ? random.int(0, 500) : 3_600_000;
  while (!source.allAcked && h.clock.time < runsFor) {
    await step(h.clock);
    watch();
  }
  const result = await h.clock.run(h.route.stop());
  await h.clock.advance(60_000);
  await settled();
  watch();
  return { wrong, source, taken, result, route: h.route, mustFinish: runsFor > 20_000 };
}

async function step(clock: FakeClock): Promise<void> {
  await settled();
  await clock.advance(clock.nextIn ?? 1000);
}

describe.each(["queue", "log"] as const)("with random faults, a route from a %s", (kind) => {
  it(`loses no message, acks none early, and accounts for each at every moment (${SEEDS} seeds)`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { wrong, source, taken, result, route, mustFinish } = await simulate(seed, kind);
      expect(wrong, `seed ${seed}`).toEqual([]);
      if (mustFinish && !(source.allAcked && taken.size === MESSAGES)) expect.fail(`seed ${seed} did not finish`);
      expect(result.outcome, `seed ${seed}`).toBe("stopped");
      expect(result.accounting.inFlight).toBe(0);
      expect(route.status().accounting).toEqual(result.accounting);
    }
  });
});
