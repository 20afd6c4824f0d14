import { cannot } from "../errors.ts";
import { toDouble } from "../number/arithmetic.ts";
import { isNumber, type Value } from "../value.ts";
import {
  amountsOf,
  dayOfYear,
  endOf,
  isLeapYear,
  isoWeek,
  MILLISECONDS,
  shifted,
  startOf,
  type Unit,
  unitOf,
  unitsBetween,
  weekday,
} from "./calendar.ts";
import { makeMoment } from "./make.ts";
import { Moment } from "./moment.ts";
import { offsetAt } from "./zone.ts";

interface Method {
  readonly inputs: readonly [number, number];
  readonly call: (of: Moment, inputs: readonly Value[]) => Value;
}

const part = (compute: (wall: number) => Value): Method => ({
  inputs: [0, 0],
  call: (of) => (Number.isNaN(of.epoch) ? null : compute(of.wall)),
});
const test = (holds: (a: number, b: number) => boolean): Method => ({
  inputs: [1, 2],
  call(of, [other = null, unit]) {
    const right = makeMoment(other);
    if (unit === undefined) return holds(of.epoch, right.epoch);
    const start = unitOf(text(unit));
    return holds(startOf(of.wall, start), startOf(right.wall, start));
  },
});
const shift = (sign: 1 | -1): Method => ({
  inputs: [1, 2],
  call(of, [amount = null, unit]) {
    if (Number.isNaN(of.epoch)) return of;
    const amounts = isNumber(amount)
      ? [{ amount: toDouble(amount), unit: unitOf(text(unit ?? null)) }]
      : amountsOf(text(amount));
    return of.at(amounts.reduce((wall, one) => shifted(wall, sign * one.amount, one.unit), of.wall));
  },
});
const toUnit = (compute: (wall: number, unit: Unit) => number): Method => ({
  inputs: [1, 1],
  call: (of, [unit = null]) => of.at(compute(of.wall, unitOf(text(unit)))),
});

/** The methods of moments, `d(…).name(…)`. */
export const METHODS: Readonly<Record<string, Method>> = {
  add: shift(1),
  sub: shift(-1),
  set: { inputs: [2, 2], call: (of, [unit = null, value = null]) => of.at(changed(of.wall, text(unit), value)) },
  startOf: toUnit(startOf),
  endOf: toUnit(endOf),
  diff: { inputs: [1, 2], call: difference },
  format: {
    inputs: [0, 1],
    call: (of, [pattern]) => of.format(pattern === undefined ? "%Y-%m-%d %H:%M:%S %Z" : text(pattern)),
  },
  tz: { inputs: [1, 1], call: (of, [zone = null]) => new Moment(of.epoch, knownZone(text(zone))) },
  isSame: test((a, b) => a === b),
  isBefore: test((a, b) => a < b),
  isAfter: test((a, b) => a > b),
  isSameOrBefore: test((a, b) => a <= b),
  isSameOrAfter: test((a, b) => a >= b),
  second: part((wall) => new Date(wall).getUTCSeconds()),
  minute: part((wall) => new Date(wall).getUTCMinutes()),
  hour: part((wall) => new Date(wall).getUTCHours()),
  day: part((wall) => new Date(wall).getUTCDate()),
  dayOfYear: part(dayOfYear),
  week: part(isoWeek),
  weekday: part(weekday),
  month: part((wall) => new Date(wall).getUTCMonth() + 1),
  quarter: part((wall) => Math.floor(new Date(wall).getUTCMonth() / 3) + 1),
  year: part((wall) => new Date(wall).getUTCFullYear()),
  isLeapYear: part(isLeapYear),
  timestamp: { inputs: [0, 0], call: (of) => (Number.isNaN(of.epoch) ? null : of.epoch) },
  offsetName: { inputs: [0, 0], call: (of) => of.zone },
  isValid: { inputs: [0, 0], call: (of) => !Number.isNaN(of.epoch) },
  isToday: onDay(0),
  isYesterday: onDay(-1),
  isTomorrow: onDay(1),
};

/** Milliseconds, or whole units. */
function difference(of: Moment, [other = null, unit]: readonly Value[]): Value {
  const right = makeMoment(other);
  if (Number.isNaN(of.epoch) || Number.isNaN(right.epoch)) return null;
  return unit === undefined ? of.epoch - right.epoch : unitsBetween(right.wall, of.wall, unitOf(text(unit)));
}

function changed(wall: number, name: string, to: Value): number {
  const unit = unitOf(name);
  if (!isNumber(to)) throw cannot("set: the value is not a number");
  const value = Math.trunc(toDouble(to));
  const date = new Date(wall);
  if (unit === "year") return shifted(wall, value - date.getUTCFullYear(), "year");
  if (unit === "month") return shifted(wall, value - 1 - date.getUTCMonth(), "month");
  const now = {
    second: date.getUTCSeconds(),
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
  };
  if (!(unit in now)) throw cannot(`set: not for ${unit}s`);
  return wall + (value - now[unit as keyof typeof now]) * MILLISECONDS[unit]!;
}

function onDay(days: number): Method {
  return {
    inputs: [0, 0],
    call: (of) =>
      startOf(of.wall, "day") === startOf(Date.now() + offsetAt(Date.now(), of.zone), "day") + days * 86_400_000,
  };
}

export function knownZone(zone: string): string {
  try {
    offsetAt(0, zone);
    return zone;
  } catch {
    throw cannot("there is no such time zone");
  }
}

function text(value: Value): string {
  if (typeof value === "string") return value;
  throw cannot("expected a text");
}
