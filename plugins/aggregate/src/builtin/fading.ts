import type { JsonPath } from "@mqb/json";
import { type Exact, toDouble } from "../number/exact.ts";
import { halved } from "../number/halved.ts";
import { writeDouble } from "../number/text.ts";
import type { Output } from "../output.ts";
import type { Builtin, Slots, Step } from "./builtin.ts";

/** How old values fade: by what each new one takes, or by time, in seconds. */
export type Fading = { readonly alpha: number } | { readonly halfLife: number };

/** What is left of the weight of something after so many seconds. */
function faded(halfLife: number, seconds: number): number {
  return halved(seconds / halfLife);
}

const NEXT_TO_NOTHING = 1e-9;

/** How much the old weights shrink, and what the new value weighs. */
abstract class Weighted {
  readonly timed: boolean;
  /** Of the old weights this much stays; with a half-life it depends on the time. */
  private readonly kept: number;
  private readonly halfLife: number;

  constructor(fading: Fading) {
    this.timed = "halfLife" in fading;
    this.kept = "alpha" in fading ? 1 - fading.alpha : 1;
    this.halfLife = "halfLife" in fading ? fading.halfLife : 0;
  }

  protected keep(step: Step): number {
    return !this.timed || step.late ? this.kept : faded(this.halfLife, step.distance);
  }

  protected weight(step: Step): number {
    return this.timed && step.late ? faded(this.halfLife, step.distance) : 1;
  }
}

/** A moving average: the weighted sum and the weight, so that the first value does not skew it. */
export class Ema extends Weighted implements Builtin {
  readonly slots = 2;
  readonly path: JsonPath;
  readonly exact = false;

  constructor(path: JsonPath, fading: Fading) {
    super(fading);
    this.path = path;
  }

  fold(slots: Slots, at: number, value: Exact, step: Step): void {
    const keep = this.keep(step);
    const weight = this.weight(step);
    slots[at] = (slots[at] as number) * keep + weight * toDouble(value);
    slots[at + 1] = (slots[at + 1] as number) * keep + weight;
  }

  show(slots: Slots, at: number, _seconds: number, out: Output): void {
    writeDouble((slots[at] as number) / (slots[at + 1] as number), out);
  }
}

/** The variance of values that may fade: the weight, the mean, the squared distances from it, and the squared weights. */
export class Spread extends Weighted implements Builtin {
  readonly slots = 4;
  readonly path: JsonPath;
  readonly exact = false;
  private readonly root: boolean;

  constructor(path: JsonPath, fading: Fading, shown: "variance" | "stddev") {
    super(fading);
    this.path = path;
    this.root = shown === "stddev";
  }

  fold(slots: Slots, at: number, value: Exact, step: Step): void {
    const keep = this.keep(step);
    const weight = this.weight(step);
    const x = toDouble(value);
    const total = (slots[at] as number) * keep + weight;
    const before = slots[at + 1] as number;
    const mean = before + ((x - before) * weight) / total;
    slots[at] = total;
    slots[at + 1] = mean;
    slots[at + 2] = (slots[at + 2] as number) * keep + weight * (x - before) * (x - mean);
    slots[at + 3] = (slots[at + 3] as number) * keep * keep + weight * weight;
  }

  show(slots: Slots, at: number, _seconds: number, out: Output): void {
    const total = slots[at] as number;
    const free = total - (slots[at + 3] as number) / total;
    // One value, or one beside which the others weigh next to nothing.
    const variance = free > NEXT_TO_NOTHING ? Math.max(0, (slots[at + 2] as number) / free) : Number.NaN;
    writeDouble(this.root ? Math.sqrt(variance) : variance, out);
  }
}

/** A count or a sum of which each part counts half after the half-life. */
export class Decayed implements Builtin {
  readonly slots = 1;
  readonly path: JsonPath | undefined;
  readonly exact = false;
  readonly timed = true;
  private readonly halfLife: number;

  /** Without a path it counts. */
  constructor(path: JsonPath | undefined, halfLife: number) {
    this.path = path;
    this.halfLife = halfLife;
  }

  fold(slots: Slots, at: number, value: Exact, { late, distance }: Step): void {
    const part = this.path ? toDouble(value) : 1;
    const fade = faded(this.halfLife, distance);
    const before = slots[at] as number;
    slots[at] = late ? before + part * fade : before * fade + part;
  }

  show(slots: Slots, at: number, seconds: number, out: Output): void {
    writeDouble((slots[at] as number) * (seconds > 0 ? faded(this.halfLife, seconds) : 1), out);
  }
}
