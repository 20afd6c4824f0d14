import { deepEqual, equal, ok } from "node:assert/strict";
import { batchOf, codeOf, describeError, kindOf } from "@mqb/core/plugin";
import { CollectingPublisher } from "../../fakes/collecting-publisher.ts";
import { eventually, isPending, turns } from "../../wait/eventually.ts";
import { acknowledges, input, output, restart, server, sinkAcknowledges, stored, unless } from "../left-out.ts";
import { proxyOf, via } from "../proxied.ts";
import { ReplayingSource } from "../replaying-source.ts";
import type { ConnectorScenario } from "../types.ts";

const TURNS_TO_NOTICE = 50;
const SOON = { reconnect_interval_ms: 20 };

/** What happens when the connection or the server goes away. */
export const disturbed: readonly ConnectorScenario[] = [
  {
    name: "a source that cannot be reached is a coded error of kind connection",
    leftOut: unless(input, server),
    async run(lab) {
      await using proxy = await proxyOf(lab);
      const { input: config } = via(lab, proxy);
      await proxy.refuse();
      const error = await rejection(async () => {
        const consumer = await lab.consumer({ config });
        await lab.soon(consumer.receive(1, new AbortController().signal), "a receive");
      });
      unreachable(error);
    },
  },
  {
    name: "a sink that cannot be reached is a coded error of kind connection",
    leftOut: unless(output, server),
    async run(lab) {
      await using proxy = await proxyOf(lab);
      const { output: config } = via(lab, proxy);
      await proxy.refuse();
      const error = await rejection(async () => {
        const publisher = await lab.publisher({ config });
        const [outcome] = await lab.send(publisher, lab.messages(1));
        if (outcome!.type === "failed") throw outcome!.error as Error;
      });
      unreachable(error);
    },
  },
  {
    name: "a waiting source notices that its connection is cut, and reads on after it is opened again",
    leftOut: unless(input, server, stored),
    async run(lab) {
      await using proxy = await proxyOf(lab);
      await lab.seed(lab.messages(1));
      const reader = lab.reader({ config: via(lab, proxy).input, reopens: true });
      await reader.commit(await reader.take(1));
      const waiting = reader.take(1);
      waiting.catch(() => {});
      ok(await isPending(waiting));
      proxy.cut();
      await lab.seed(lab.messages(1, 1));
      const { numbers } = await waiting;
      deepEqual(numbers, [1]);
      await reader.close();
    },
  },
  {
    name: "a route whose source is cut off again and again delivers every message",
    leftOut: unless(acknowledges, server, stored),
    async run(lab) {
      await using proxy = await proxyOf(lab);
      await lab.seed(lab.messages(300));
      const sink = new CollectingPublisher();
      const options = { ...SOON, config: via(lab, proxy).input, concurrency: 4, batch_size: 10 };
      const route = lab.routes.from(sink, options);
      await lab.soon(route.start(), "the start of the route");
      for (const count of [20, 100, 200]) {
        await lab.soon(sink.collected(count), `${count} messages`);
        // The sink holds on, so that there are messages on their way when the connection goes.
        sink.stall();
        await eventually(() => sink.inFlight > 0, "a batch at the sink", lab.patienceMs);
        proxy.cut();
        await turns(TURNS_TO_NOTICE);
        sink.release();
      }
      const seen = () => new Set(sink.messages.map((message) => lab.number(message)));
      await eventually(() => seen().size === 300, "every message at the sink", lab.patienceMs);
      await route.stop();
    },
  },
  {
    name: "a route whose sink is cut off again and again brings every message into it",
    leftOut: unless(sinkAcknowledges, server, stored),
    async run(lab) {
      await using proxy = await proxyOf(lab);
      const source = new ReplayingSource(lab.messages(300));
      const options = { ...SOON, config: via(lab, proxy).output, batch_size: 10, exit_on_empty: true };
      const route = lab.routes.into(source, options);
      await lab.soon(route.start(), "the start of the route");
      for (const count of [20, 100, 200]) {
        await eventually(() => source.acked >= count, `${count} acked messages`, lab.patienceMs);
        proxy.cut();
      }
      const result = await lab.soon(route.done, "the end of the route");
      equal(result.outcome, "completed", describeError(result.error));
      deepEqual(
        [...new Set(await lab.stored(300))],
        Array.from({ length: 300 }, (_, n) => n),
      );
    },
  },
  {
    name: "a send over a connection that stands still is not accepted, and ends with its signal",
    leftOut: unless(sinkAcknowledges, server),
    async run(lab) {
      await using proxy = await proxyOf(lab);
      const publisher = await lab.publisher({ config: via(lab, proxy).output });
      proxy.stall();
      const stop = new AbortController();
      const sending = publisher.send(batchOf(lab.messages(1)), stop.signal);
      const ended = Promise.allSettled([sending]);
      ok(await isPending(ended, 200), "it was accepted by nobody");
      stop.abort(new Error("the grace period is over"));
      const [result] = await lab.soon(ended, "the end of the send");
      if (result.status === "fulfilled") ok(result.value?.every((outcome) => outcome.type === "failed"));
      await lab.soon(publisher.close(), "closing over a connection that stands still");
    },
  },
  {
    name: "a source over a connection that stands still can be aborted and closed",
    leftOut: unless(input, server, stored),
    async run(lab) {
      await using proxy = await proxyOf(lab);
      await lab.seed(lab.messages(1));
      const reader = lab.reader({ config: via(lab, proxy).input });
      const consumer = await reader.open();
      proxy.stall();
      const stop = new AbortController();
      const receiving = Promise.allSettled([consumer.receive(10, stop.signal)]);
      await isPending(receiving, 50);
      stop.abort(new Error("stop"));
      await lab.soon(receiving, "the end of an aborted receive");
      await reader.close();
    },
  },
  {
    name: "what was received and not committed survives a restart of the server",
    leftOut: unless(acknowledges, restart, stored),
    async run(lab) {
      await lab.seed(lab.messages(10));
      const reader = lab.reader({ reopens: true });
      const first = await reader.take(5, 5);
      const opened = await reader.open();
      await lab.soon(lab.tested.fixture.restart!(), "the restart of the server");
      const seen = new Set<number>();
      const missing = async (): Promise<number> => {
        // A source that need not be opened again, as one with leases, holds on to what it has given.
        const held = (await reader.open()) === opened ? first.numbers : [];
        return 10 - new Set([...seen, ...held]).size;
      };
      while ((await missing()) > 0) for (const n of (await reader.take(1, 10)).numbers) seen.add(n);
      await reader.close();
    },
  },
];

async function rejection(body: () => Promise<void>): Promise<unknown> {
  try {
    await body();
  } catch (error) {
    return error;
  }
  return undefined;
}

function unreachable(error: unknown): void {
  ok(error !== undefined, "nothing failed");
  equal(kindOf(error, "retryable"), "connection", describeError(error));
  ok(codeOf(error), `${describeError(error)} has no code`);
}
