import type { Message } from "../message/message.ts";

/** What becomes of one received message at its source. A reply counts as an ack and carries the answer. */
export type Disposition =
  | { readonly type: "ack" }
  | { readonly type: "nack"; readonly error?: unknown }
  | { readonly type: "reply"; readonly message: Message };

export const ACK: Disposition = { type: "ack" };
export const NACK: Disposition = { type: "nack" };

export function nack(error: unknown): Disposition {
  return { type: "nack", error };
}

export function reply(message: Message): Disposition {
  return { type: "reply", message };
}

/**
 * What became of one sent message. `filtered` and `dead_lettered` are successes that did not reach the sink: a
 * middleware took the message out; the source is acked and the loss accounting counts them apart.
 */
export type Outcome =
  | { readonly type: "accepted" }
  | { readonly type: "replied"; readonly message: Message }
  | { readonly type: "filtered" }
  | { readonly type: "dead_lettered" }
  | { readonly type: "failed"; readonly error: unknown };

export const ACCEPTED: Outcome = { type: "accepted" };
export const FILTERED: Outcome = { type: "filtered" };
export const DEAD_LETTERED: Outcome = { type: "dead_lettered" };

export function replied(message: Message): Outcome {
  return { type: "replied", message };
}

export function failed(error: unknown): Outcome {
  return { type: "failed", error };
}

/**
 * Puts results of a selection back into the places of the whole: `part[i]` goes to position `indices[i]`, every other
 * position gets `fill`. `part` undefined stands for `whole` results that are all `same`. For middlewares that select.
 */
export function scatter<T>(size: number, indices: Uint32Array, part: readonly T[] | undefined, same: T, fill: T): T[] {
  const all = new Array<T>(size).fill(fill);
  for (let i = 0; i < indices.length; i++) all[indices[i]!] = part ? part[i]! : same;
  return all;
}
