import { deepEqual, equal, ok } from "node:assert/strict";
import type { RouteResult } from "@mqb/core";
import { MqbError, type Side } from "@mqb/core/plugin";
import type { Scenario } from "../../suite.ts";
import { sameMessages } from "../compare.ts";
import { RouteLab } from "../route-lab.ts";
import type { MiddlewareSubject } from "../types.ts";

export type RouteScenario = Scenario<MiddlewareSubject, AsyncDisposable & { readonly subject: MiddlewareSubject }>;

const REFUSED = new MqbError("MQB_TEST_REFUSED", "permanent", "the sink refuses this message");
const BUSY = new MqbError("MQB_TEST_BUSY", "retryable", "the sink is busy");

export const inRoute: readonly RouteScenario[] = [
  ...on("every message arrives once and is acked", async (lab) => {
    const { accounting } = await lab.drained();
    balances(accounting, lab);
    deepEqual([accounting.delivered, lab.source.acked, lab.source.nacked], [lab.sent.length, lab.sent.length, 0]);
    const { changes } = lab.subject.tested;
    if (!changes && lab.concurrency === 1) sameMessages(lab.sink.messages, lab.sent);
    else if (!changes) deepEqual(sortedTexts(lab.sink.messages), sortedTexts(lab.sent));
  }),
  ...on("what is refused for good is lost alone, and counted", async (lab) => {
    let asked = 0;
    let refused = 0;
    lab.sink.failWhen(() => {
      if (++asked % 4 !== 0) return undefined;
      refused += 1;
      return REFUSED;
    });
    const { accounting } = await lab.drained();
    balances(accounting, lab);
    const lost = accounting.dropped + accounting.deadLettered;
    equal(accounting.delivered + lost, lab.sent.length);
    ok(refused > 0 && lost >= refused, `${lost} messages are counted as lost, the sink refused ${refused}`);
    if (isOneToOne(lab)) equal(lost, refused);
    equal(lab.source.acked, lab.sent.length, "what is lost for good is acked too");
  }),
  ...on("what fails for a time comes again until it arrives", async (lab) => {
    let asked = 0;
    let failures = 0;
    lab.sink.failWhen(() => (++asked % 3 === 0 && ++failures <= 10 ? BUSY : undefined));
    const { accounting } = await lab.drained();
    balances(accounting, lab);
    ok(failures > 0);
    deepEqual([accounting.delivered, lab.source.acked], [lab.sent.length, lab.sent.length]);
    if (isOneToOne(lab)) equal(lab.sink.messages.length, lab.sent.length);
  }),
  ...on("a stop in the middle acks nothing that has not arrived", async (lab) => {
    lab.sink.failWhen(() => {
      if (lab.sink.messages.length >= 3) lab.sink.stall();
      return undefined;
    });
    await lab.start();
    await lab.settled(lab.sink.collected(3));
    const { accounting } = await lab.stopped();
    balances(accounting, lab);
    ok(lab.source.acked <= accounting.delivered, `${lab.source.acked} are acked, ${accounting.delivered} delivered`);
    if (isOneToOne(lab)) {
      const arrived = lab.sink.messages.length;
      ok(accounting.delivered <= arrived, `${accounting.delivered} count as delivered, ${arrived} have arrived`);
    }
    ok(lab.sink.closed, "the sink is still open");
  }),
];

/** On each side, and with one worker as well as with many. */
function on(name: string, run: (lab: RouteLab) => Promise<void>): RouteScenario[] {
  const sides: readonly Side[] = ["input", "output"];
  return sides.flatMap((side) =>
    [1, 8].map((concurrency) => ({
      name: `on an ${side} with concurrency ${concurrency}: ${name}`,
      leftOut: ({ definition }) => (definition[side] ? undefined : `it does not work on an ${side}`),
      run: async ({ subject }) => {
        const lab = new RouteLab(subject, side, concurrency);
        try {
          await run(lab);
        } finally {
          await lab.ended();
        }
      },
    })),
  );
}

/** Each message that goes in comes out as one. */
function isOneToOne({ subject: { tested } }: RouteLab): boolean {
  return !(tested.changes && tested.regroups);
}

function balances(accounting: RouteResult["accounting"], { source, sink }: RouteLab): void {
  const { received, inFlight, ...endings } = accounting;
  const ended = Object.values(endings).reduce((sum, count) => sum + count, 0);
  deepEqual({ inFlight, ended }, { inFlight: 0, ended: received }, "every message has one end");
  deepEqual([source.violations, sink.violations], [[], []]);
}

function sortedTexts(list: RouteLab["sent"]): string[] {
  return list.map((message) => message.text()).sort();
}
