import { cannot } from "../errors.ts";

export type Unit = "second" | "minute" | "hour" | "day" | "week" | "month" | "quarter" | "year";

const NAMES: Readonly<Record<Unit, readonly string[]>> = {
  second: ["s", "sec", "second", "seconds"],
  minute: ["m", "min", "minute", "minutes"],
  hour: ["h", "hour", "hours"],
  day: ["d", "day", "days"],
  week: ["w", "week", "weeks"],
  month: ["M", "month", "months"],
  quarter: ["Q", "quarter", "quarters"],
  year: ["y", "year", "years"],
};

export const MILLISECONDS: Readonly<Partial<Record<Unit, number>>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};

export function unitOf(name: string): Unit {
  const found = (Object.keys(NAMES) as Unit[]).find((unit) => NAMES[unit].includes(name));
  if (!found) throw cannot(`"${name.slice(0, 20)}" is no unit of time`);
  return found;
}

/** Amounts and units of a text such as `1d 2h`. */
export function amountsOf(text: string): readonly { readonly amount: number; readonly unit: Unit }[] {
  if (text.length > 200) throw cannot("duration: the text is too long");
  const parts = [...text.matchAll(/\s*(\d+)\s*([A-Za-z]+)/gy)];
  const read = parts.reduce((sum, [part]) => sum + part.length, 0);
  if (parts.length === 0 || text.slice(read).trim() !== "") throw cannot("duration: expected e.g. 1d 2h");
  return parts.map(([, amount, unit]) => ({ amount: Number(amount), unit: unitOf(unit!) }));
}

/** Times here are those that a clock shows, as if it stood in UTC. */

export function shifted(wall: number, amount: number, unit: Unit): number {
  const fixed = MILLISECONDS[unit];
  if (fixed !== undefined) return wall + amount * fixed;
  const months = amount * (unit === "year" ? 12 : unit === "quarter" ? 3 : 1);
  const date = new Date(wall);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
  return first + (Math.min(date.getUTCDate(), daysInMonth(first)) - 1) * 86_400_000 + (wall - startOf(wall, "day"));
}

export function startOf(wall: number, unit: Unit): number {
  const date = new Date(wall);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (unit) {
    case "year":
      return Date.UTC(year, 0, 1);
    case "quarter":
      return Date.UTC(year, month - (month % 3), 1);
    case "month":
      return Date.UTC(year, month, 1);
    case "week":
      return startOf(wall, "day") - ((date.getUTCDay() + 6) % 7) * 86_400_000;
    default:
      return Math.floor(wall / MILLISECONDS[unit]!) * MILLISECONDS[unit]!;
  }
}

/** The last second of the unit. */
export function endOf(wall: number, unit: Unit): number {
  return shifted(startOf(wall, unit), 1, unit) - 1000;
}

/** Whole units from one time to another. */
export function unitsBetween(from: number, to: number, unit: Unit): number {
  const fixed = MILLISECONDS[unit];
  if (fixed !== undefined) return Math.trunc((to - from) / fixed);
  if (to < from) return -unitsBetween(to, from, unit) + 0;
  const [a, b] = [new Date(from), new Date(to)];
  let months = (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
  if (shifted(from, months, "month") > to) months--;
  return Math.trunc(months / (unit === "year" ? 12 : unit === "quarter" ? 3 : 1));
}

export function dayOfYear(wall: number): number {
  return Math.floor((wall - startOf(wall, "year")) / 86_400_000) + 1;
}

/** Monday is 1. */
export function weekday(wall: number): number {
  return ((new Date(wall).getUTCDay() + 6) % 7) + 1;
}

/** The week of ISO 8601. */
export function isoWeek(wall: number): number {
  const thursday = startOf(wall, "day") + (4 - weekday(wall)) * 86_400_000;
  return Math.floor((dayOfYear(thursday) - 1) / 7) + 1;
}

export function isLeapYear(wall: number): boolean {
  return dayOfYear(Date.UTC(new Date(wall).getUTCFullYear(), 11, 31)) === 366;
}

function daysInMonth(first: number): number {
  const date = new Date(first);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
