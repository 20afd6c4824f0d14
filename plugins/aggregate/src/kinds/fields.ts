import { isJsonArray, JsonNumber, parseJson } from "@mqb/json";
import type { Builtin, Slots, Step } from "../builtin/builtin.ts";
import { errors } from "../errors.ts";
import { type Exact, isBounded, readExact, toDouble } from "../number/exact.ts";
import { exactText } from "../number/text.ts";
import type { Output } from "../output.ts";
import type { Paths } from "../paths.ts";
import type { Reading } from "../reading.ts";
import type { Kind } from "./kind.ts";

interface Field {
  readonly builtin: Builtin;
  /** Where its slots begin. */
  readonly at: number;
  /** Of its number in the payload; -1 = it reads none. */
  readonly slot: number;
  /** What stands before its result. */
  readonly opening: Buffer;
}

const CLOSE = 0x7d;

/** Built-in aggregates by name. Their state is one list of numbers, in the order of the names; the newest time is the last. */
export class FieldsKind implements Kind<Slots> {
  readonly timed: boolean;
  reason = "";
  late = false;
  private readonly into: string;
  /** Times come from the messages, not from the clock. */
  private readonly ordered: boolean;
  private readonly fields: readonly Field[];
  private readonly size: number;
  private readonly values: Exact[];
  private readonly step: Step = { first: true, late: false, distance: 0 };

  constructor(builtins: ReadonlyMap<string, Builtin>, into: string, ordered: boolean, paths: Paths) {
    this.into = into;
    this.ordered = ordered;
    let at = 0;
    this.fields = [...builtins]
      .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .map(([name, builtin], index): Field => {
        const slot = builtin.path ? paths.slot(builtin.path) : -1;
        const field = { builtin, at, slot, opening: openingOf(name, index) };
        at += builtin.slots;
        return field;
      });
    this.size = at;
    this.timed = ordered || this.fields.some(({ builtin }) => builtin.timed);
    this.values = new Array<Exact>(this.fields.length).fill(0);
  }

  fold(reading: Reading, before: Slots | undefined, time: number): Slots | undefined {
    const { fields, values, size, step } = this;
    for (let i = 0; i < fields.length; i++) {
      const { slot } = fields[i]!;
      if (slot < 0) continue;
      const value = reading.number(slot);
      if (value === undefined) return this.cannot(`the field ${reading.name(slot)} is missing or no number`);
      values[i] = value;
    }
    const slots = before ? before.slice() : new Array<Exact>(size).fill(0);
    step.first = before === undefined;
    step.late = false;
    step.distance = 0;
    if (this.timed) slots[size] = this.turn(reading, before?.[size] as number | undefined, time);
    this.late = step.late;
    for (let i = 0; i < fields.length; i++) {
      const { builtin, at } = fields[i]!;
      builtin.fold(slots, at, values[i]!, step);
    }
    for (let i = 0; i < size; i++) {
      if (!isBounded(slots[i]!)) return this.cannot("a result is too large for a number");
    }
    return slots;
  }

  show(_reading: Reading, slots: Slots, time: number | undefined, out: Output): boolean {
    const newest = this.timed ? (slots[this.size] as number | undefined) : undefined;
    const seconds = time === undefined || newest === undefined ? 0 : time - newest;
    const { fields } = this;
    for (let i = 0; i < fields.length; i++) {
      const { builtin, at, opening } = fields[i]!;
      out.copy(opening, 0, opening.length);
      builtin.show(slots, at, seconds, out);
    }
    out.byte(CLOSE);
    return true;
  }

  load(json: Uint8Array): Slots {
    const refuse = (reason: string, cause?: unknown): Error =>
      errors.STATE({ into: this.into, reason }, cause === undefined ? {} : { cause });
    let stored: ReturnType<typeof parseJson>;
    try {
      stored = parseJson(json);
    } catch (cause) {
      throw refuse("it is not JSON", cause);
    }
    if (!isJsonArray(stored) || !stored.every((slot) => slot instanceof JsonNumber)) {
      throw refuse("it is not a list of numbers, as `fields` have it");
    }
    // A state that was stored before `time` was set has no newest time yet.
    const { size } = this;
    if (stored.length !== size && !(this.timed && stored.length === size + 1)) {
      throw refuse(`it has ${stored.length} numbers, and these \`fields\` have ${size + (this.timed ? 1 : 0)}`);
    }
    const slots: Slots = stored.map(({ text }) => readExact(text) ?? Number.NaN);
    for (const { builtin, at } of this.fields) {
      if (!builtin.exact) for (let i = at; i < at + builtin.slots; i++) slots[i] = toDouble(slots[i]!);
    }
    if (slots.length > size) slots[size] = toDouble(slots[size]!);
    if (slots.some((slot) => Number.isNaN(slot))) throw refuse("a number is beyond all doubles");
    return slots;
  }

  save(slots: Slots): string {
    return `[${slots.map(exactText).join(",")}]`;
  }

  /** Where the message stands among those of its key; returns the newest time. */
  private turn(reading: Reading, newest: number | undefined, time: number): number {
    if (newest === undefined) return time;
    const { step } = this;
    if (time >= newest) {
      step.distance = time - newest;
      return time;
    }
    // A clock that was set back makes no message late.
    if (!this.ordered) return newest;
    if (reading.overwrites()) return time;
    step.late = true;
    step.distance = newest - time;
    return newest;
  }

  private cannot(reason: string): undefined {
    this.reason = reason;
    return undefined;
  }
}

function openingOf(name: string, index: number): Buffer {
  return Buffer.from(`${index === 0 ? "{" : ","}${JSON.stringify(name)}:`);
}
