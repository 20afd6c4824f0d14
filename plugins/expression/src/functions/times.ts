import { amountsOf, dayOfYear, endOf, isoWeek, startOf, type Unit, unitOf, weekday } from "../dates/calendar.ts";
import { dayName, monthName, strftime } from "../dates/format.ts";
import { makeMoment } from "../dates/make.ts";
import { knownZone } from "../dates/methods.ts";
import { parseTime, parseTimeOfDay } from "../dates/parse.ts";
import { UTC } from "../dates/zone.ts";
import { cannot } from "../errors.ts";
import { toDouble } from "../number/arithmetic.ts";
import { isNumber, typeName, type Value } from "../value.ts";
import { textAt, type ZenFunction } from "./arguments.ts";

/** Seconds of units without a fixed length, as the original counts them. */
const SECONDS: Readonly<Record<Unit, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  month: 2_630_016,
  quarter: 7_890_048,
  year: 31_557_600,
};

const of = (compute: (wall: number) => Value): ZenFunction => ({
  inputs: [1, 1],
  call: ([value = null]) => compute(secondsOf(value) * 1000),
});
const edge = (compute: (wall: number, unit: Unit) => number): ZenFunction => ({
  inputs: [2, 2],
  call: (inputs) => compute(secondsOf(inputs[0] ?? null) * 1000, edgeUnit(textAt(inputs, 1))) / 1000,
});

/** Functions on times as Unix seconds, in UTC; each also takes the text of a time. */
export const TIMES: Readonly<Record<string, ZenFunction>> = {
  date: of((wall) => wall / 1000),
  time: { inputs: [1, 1], call: ([value = null]) => timeOfDay(value) },
  duration: { inputs: [1, 1], call: ([value = null]) => duration(value) },
  year: of((wall) => new Date(wall).getUTCFullYear()),
  dayOfWeek: of(weekday),
  dayOfMonth: of((wall) => new Date(wall).getUTCDate()),
  dayOfYear: of(dayOfYear),
  weekOfYear: of(isoWeek),
  monthOfYear: of((wall) => new Date(wall).getUTCMonth() + 1),
  monthString: of((wall) => monthName(new Date(wall).getUTCMonth() + 1)),
  weekdayString: of((wall) => dayName(weekday(wall))),
  dateString: of((wall) => strftime("%Y-%m-%d %H:%M:%S", wall, 0, UTC)),
  startOf: edge(startOf),
  endOf: edge(endOf),
  d: {
    inputs: [0, 2],
    call: (inputs) => {
      const zone = inputs.length > 1 ? knownZone(textAt(inputs, 1)) : UTC;
      return makeMoment(inputs.length === 0 ? Date.now() : inputs[0]!, zone);
    },
  },
};

/** The original reads `d("2024-03-15 10:20")`, but not the same in `date(…)`. */
const WITHOUT_SECONDS = /[T ]\d{1,2}:\d{2}(?!:)/;

function secondsOf(value: Value): number {
  if (isNumber(value)) return Math.trunc(toDouble(value));
  if (typeof value !== "string") throw cannot(`date: a ${typeName(value)} is no date`);
  const time = parseTime(value);
  if (!time || WITHOUT_SECONDS.test(value)) throw cannot("date: not a date and time");
  return (time.wall - (time.offset ?? 0)) / 1000;
}

function timeOfDay(value: Value): Value {
  if (isNumber(value)) return Math.trunc(toDouble(value));
  const seconds = typeof value === "string" ? parseTimeOfDay(value) : undefined;
  return seconds ?? ((secondsOf(value) % 86_400) + 86_400) % 86_400;
}

function duration(value: Value): Value {
  if (isNumber(value)) return value;
  if (typeof value !== "string") throw cannot(`duration: a ${typeName(value)} is no duration`);
  return amountsOf(value).reduce((sum, { amount, unit }) => sum + amount * SECONDS[unit], 0);
}

function edgeUnit(name: string): Unit {
  const unit = unitOf(name);
  if (unit === "quarter") throw cannot("not for quarters");
  return unit;
}
