import { toDouble } from "../number/arithmetic.ts";
import { isNumber, type Value } from "../value.ts";
import { Moment } from "./moment.ts";
import { parseTime } from "./parse.ts";
import { UTC } from "./zone.ts";

/** `d(value)`: a text is a time in the zone, a number is Unix milliseconds; everything else is an invalid date. */
export function makeMoment(value: Value, zone: string = UTC): Moment {
  if (value instanceof Moment) return value;
  if (isNumber(value)) return new Moment(Math.trunc(toDouble(value)), zone);
  const parsed = typeof value === "string" ? parseTime(value) : undefined;
  // The original ignores an offset in the text; who writes one means it.
  if (parsed?.offset) return new Moment(parsed.wall - parsed.offset, zone);
  return parsed ? new Moment(Number.NaN, zone).at(parsed.wall) : new Moment(Number.NaN, zone);
}
