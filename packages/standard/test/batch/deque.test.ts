import { expect, it } from "vitest";
import { Deque } from "../../src/batch/deque.ts";

it("behaves like a list of which the first is taken", () => {
  const deque = new Deque<number>();
  const list: number[] = [];
  let next = 0;
  // A fixed walk through many mixes of the operations.
  for (let step = 0; step < 20_000; step++) {
    const choice = (step * 7919) % 11;
    if (choice < 5) {
      deque.push(next);
      list.push(next++);
    } else if (choice < 6) {
      deque.unshift(next);
      list.unshift(next++);
    } else if (choice < 9 || list.length > 3_000) {
      expect(deque.shift()).toBe(list.shift());
    } else {
      expect(deque.length).toBe(list.length);
      const at = step % (list.length + 1);
      expect(deque.at(at)).toBe(list[at]);
    }
  }
  expect(deque.drain()).toEqual(list);
  expect(deque.length).toBe(0);
  expect(deque.shift()).toBeUndefined();
});
