import { dayOfYear, isoWeek, weekday } from "./calendar.ts";

const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");

export function monthName(month: number): string {
  return MONTHS[month - 1]!.slice(0, 3);
}

export function dayName(day: number): string {
  return DAYS[day - 1]!.slice(0, 3);
}

/** A time as strftime writes it. What is no directive stays as it is. */
export function strftime(pattern: string, wall: number, offset: number, zone: string): string {
  const date = new Date(wall);
  const two = (number: number): string => String(number).padStart(2, "0");
  const hour = date.getUTCHours();
  const directives: Readonly<Record<string, () => string>> = {
    Y: () => String(date.getUTCFullYear()).padStart(4, "0"),
    y: () => two(date.getUTCFullYear() % 100),
    m: () => two(date.getUTCMonth() + 1),
    d: () => two(date.getUTCDate()),
    e: () => String(date.getUTCDate()).padStart(2, " "),
    H: () => two(hour),
    I: () => two(hour % 12 || 12),
    p: () => (hour < 12 ? "AM" : "PM"),
    M: () => two(date.getUTCMinutes()),
    S: () => two(date.getUTCSeconds()),
    j: () => String(dayOfYear(wall)).padStart(3, "0"),
    u: () => String(weekday(wall)),
    V: () => two(isoWeek(wall)),
    a: () => dayName(weekday(wall)),
    A: () => DAYS[weekday(wall) - 1]!,
    b: () => monthName(date.getUTCMonth() + 1),
    B: () => MONTHS[date.getUTCMonth()]!,
    s: () => String(Math.floor((wall - offset) / 1000)),
    z: () => offsetText(offset).replace(":", ""),
    Z: () => (offset === 0 ? "UTC" : zone),
    F: () => strftime("%Y-%m-%d", wall, offset, zone),
    T: () => strftime("%H:%M:%S", wall, offset, zone),
    "%": () => "%",
  };
  return pattern.replace(/%([A-Za-z%])/g, (written, letter: string) =>
    Object.hasOwn(directives, letter) ? directives[letter]!() : written,
  );
}

/** `+02:00`. */
export function offsetText(offset: number): string {
  const minutes = Math.abs(Math.trunc(offset / 60_000));
  const part = (number: number): string => String(number).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${part(Math.trunc(minutes / 60))}:${part(minutes % 60)}`;
}
