import { offsetText, strftime } from "./format.ts";
import { epochOf, offsetAt, UTC } from "./zone.ts";

/** What `d(…)` gives: a moment, seen in a time zone. */
export class Moment {
  /** Unix milliseconds; NaN for a text that is no time. */
  readonly epoch: number;
  readonly zone: string;

  constructor(epoch: number, zone: string = UTC) {
    this.epoch = epoch;
    this.zone = zone;
  }

  /** What the clocks of its zone show. */
  get wall(): number {
    return this.epoch + this.offset;
  }

  get offset(): number {
    return offsetAt(this.epoch, this.zone);
  }

  at(wall: number): Moment {
    return new Moment(epochOf(wall, this.zone), this.zone);
  }

  format(pattern: string): string {
    return Number.isNaN(this.epoch) ? "Invalid date" : strftime(pattern, this.wall, this.offset, this.zone);
  }

  toString(): string {
    if (Number.isNaN(this.epoch)) return "Invalid date";
    return this.format("%Y-%m-%dT%H:%M:%S") + (this.zone === UTC ? "Z" : offsetText(this.offset));
  }
}
