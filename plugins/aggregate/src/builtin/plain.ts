import type { JsonPath } from "@mqb/json";
import { add, compare, type Exact, toDouble } from "../number/exact.ts";
import { writeDouble, writeExact } from "../number/text.ts";
import type { Output } from "../output.ts";
import type { Builtin, Slots, Step } from "./builtin.ts";

const LARGEST = 2 ** 31 - 1;

/** The number of messages. */
export class Count implements Builtin {
  readonly slots = 1;
  readonly path = undefined;
  readonly exact = false;
  readonly timed = false;

  fold(slots: Slots, at: number): void {
    slots[at] = (slots[at] as number) + 1;
  }

  show(slots: Slots, at: number, _seconds: number, out: Output): void {
    const count = slots[at] as number;
    if (count <= LARGEST) out.whole(count);
    else out.text(String(count));
  }
}

/** One value that the next one is combined with: the least, the greatest, the last. No digit is lost. */
export class Chosen implements Builtin {
  readonly slots = 1;
  readonly path: JsonPath;
  readonly exact = true;
  readonly timed = false;
  private readonly choose: (before: Exact, value: Exact, step: Step) => Exact;

  constructor(path: JsonPath, choose: (before: Exact, value: Exact, step: Step) => Exact) {
    this.path = path;
    this.choose = choose;
  }

  fold(slots: Slots, at: number, value: Exact, step: Step): void {
    slots[at] = step.first ? value : this.choose(slots[at]!, value, step);
  }

  show(slots: Slots, at: number, _seconds: number, out: Output): void {
    writeExact(slots[at]!, out);
  }
}

/** The sum, exact. */
export class Sum implements Builtin {
  readonly slots = 1;
  readonly path: JsonPath;
  readonly exact = true;
  readonly timed = false;

  constructor(path: JsonPath) {
    this.path = path;
  }

  fold(slots: Slots, at: number, value: Exact): void {
    slots[at] = add(slots[at]!, value);
  }

  show(slots: Slots, at: number, _seconds: number, out: Output): void {
    writeExact(slots[at]!, out);
  }
}

export const least = (before: Exact, value: Exact): Exact => (compare(value, before) < 0 ? value : before);
export const greatest = (before: Exact, value: Exact): Exact => (compare(value, before) > 0 ? value : before);
export const newest = (before: Exact, value: Exact, step: Step): Exact => (step.late ? before : value);

/** The arithmetic mean, of an exact sum. */
export class Mean implements Builtin {
  readonly slots = 2;
  readonly path: JsonPath;
  readonly exact = true;
  readonly timed = false;

  constructor(path: JsonPath) {
    this.path = path;
  }

  fold(slots: Slots, at: number, value: Exact): void {
    slots[at] = add(slots[at]!, value);
    slots[at + 1] = add(slots[at + 1]!, 1);
  }

  show(slots: Slots, at: number, _seconds: number, out: Output): void {
    writeDouble(toDouble(slots[at]!) / toDouble(slots[at + 1]!), out);
  }
}
