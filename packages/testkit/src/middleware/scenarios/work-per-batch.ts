import { equal, ok } from "node:assert/strict";
import { batchOf, type MessageBatch } from "@mqb/core/plugin";
import { slabOf } from "../../fakes/messages.ts";
import { receiveAll } from "../receive.ts";
import { send } from "../send.ts";
import type { InputScenario, MiddlewareSubject, OutputScenario } from "../types.ts";

const LARGE = 1024;
const timers = "arms no timer per message";
const objects = "makes no message objects of bytes that nobody asks it to look into";

const looksInside = ({ tested }: MiddlewareSubject): string | undefined =>
  tested.looksInside ? "its configuration asks for it" : undefined;

export const inputWork: readonly InputScenario[] = [
  {
    name: timers,
    async run(lab) {
      lab.source.push(lab.messages(LARGE));
      const { deliveries } = await receiveAll(lab, LARGE);
      for (const delivery of deliveries) await lab.settled(delivery.commit());
      fewTimers(lab.context.clock.armed);
    },
  },
  {
    name: objects,
    leftOut: looksInside,
    async run(lab) {
      const watched = watch(slabOf(lab.messages(LARGE)));
      lab.source.push(watched.batch);
      const delivery = await lab.settled(lab.consumer.receive(LARGE, new AbortController().signal));
      await lab.settled(delivery.commit());
      equal(watched.made(), 0);
    },
  },
];

export const outputWork: readonly OutputScenario[] = [
  {
    name: timers,
    async run(lab) {
      await send(lab, batchOf(lab.messages(LARGE)));
      fewTimers(lab.context.clock.armed);
    },
  },
  {
    name: objects,
    leftOut: looksInside,
    async run(lab) {
      const watched = watch(slabOf(lab.messages(LARGE)));
      // The sink fails without a look at the messages, so only the middleware could have made them.
      lab.sink.send = async () => undefined;
      await send(lab, watched.batch);
      equal(watched.made(), 0);
    },
  },
];

function fewTimers(armed: number): void {
  ok(armed < LARGE / 8, `${armed} timers for ${LARGE} messages`);
}

/** The same batch, counting who takes messages out of it. */
function watch(batch: MessageBatch): { readonly batch: MessageBatch; readonly made: () => number } {
  let made = 0;
  const watching = (whole: MessageBatch): MessageBatch =>
    new Proxy(whole, {
      get(target, name) {
        if (name === "at" || name === Symbol.iterator) made++;
        if (name === "select") return (indices: Uint32Array) => watching(target.select(indices));
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  return { batch: watching(batch), made: () => made };
}
