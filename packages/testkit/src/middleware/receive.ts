import { fail } from "node:assert/strict";
import type { Delivery, Message } from "@mqb/core/plugin";
import type { InputLab } from "./types.ts";

const NEVER = new AbortController().signal;

/** One `receive` of the middleware. */
export function receive(lab: InputLab, max = 1024): Promise<Delivery> {
  return lab.settled(lab.consumer.receive(max, NEVER));
}

/** Receives until `count` messages have come. A middleware that regroups may give them in other batches. */
export async function receiveAll(
  lab: InputLab,
  count: number,
): Promise<{ deliveries: Delivery[]; messages: Message[] }> {
  const deliveries: Delivery[] = [];
  const messages: Message[] = [];
  while (messages.length < count) {
    const delivery = await receive(lab);
    if (delivery.batch.length === 0 && !delivery.emptied && deliveries.length > count) {
      fail(`only ${messages.length} of ${count} messages came`);
    }
    deliveries.push(delivery);
    messages.push(...delivery.batch);
  }
  return { deliveries, messages };
}
