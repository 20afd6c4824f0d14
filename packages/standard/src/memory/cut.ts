import type { Deque } from "../batch/deque.ts";
import { joinBatches } from "../batch/join.ts";
import { range } from "../batch/range.ts";
import type { Slot } from "./lane.ts";

/** Batches up to this size are joined when several wait; larger ones travel as they are. */
const SMALL = 64;

/**
 * Takes at most `max` messages from the front of a queue of slots: a large batch is cut, several small ones are joined.
 * Messages that were given back travel alone, so that their count of returns stays theirs.
 */
export function takeFrom(slots: Deque<Slot>, max: number): Slot | undefined {
  const first = slots.shift();
  if (first === undefined) return undefined;
  const length = first.batch.length - first.from;
  if (length > max) {
    slots.unshift({ batch: first.batch, from: first.from + max, returns: first.returns });
    return whole(first, max);
  }
  if (length > SMALL || first.returns > 0 || !fits(slots.at(0), max - length)) return whole(first, length);
  const parts = [whole(first, length).batch];
  let room = max - length;
  for (let next = slots.at(0); fits(next, room); next = slots.at(0)) {
    slots.shift();
    parts.push(next.batch);
    room -= next.batch.length;
  }
  return { batch: joinBatches(parts), from: 0, returns: 0 };
}

/** `length` messages of a slot as a slot of its own; the batch itself when that is all of it. */
export function whole(slot: Slot, length: number): Slot {
  if (slot.from === 0 && length === slot.batch.length) return slot;
  return { batch: slot.batch.select(range(slot.from, slot.from + length)), from: 0, returns: slot.returns };
}

function fits(slot: Slot | undefined, room: number): slot is Slot {
  return slot !== undefined && slot.returns === 0 && slot.from === 0 && slot.batch.length <= Math.min(room, SMALL);
}
