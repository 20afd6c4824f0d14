const DATE =
  /^\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?\s*(Z|[+-]\d{2}:?\d{2})?\s*$/i;
const TIME = /^\s*(\d{1,2}):(\d{2})(?::(\d{2}))?\s*$/;

/** Blanks around are allowed, and looking for their end must not take long. */
const LONGEST = 64;

/** The time that a text names, as a clock shows it, and its offset when one is written. Undefined for no such time. */
export function parseTime(text: string): { readonly wall: number; readonly offset?: number } | undefined {
  if (text.length > LONGEST) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", zone] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const wall = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const date = new Date(wall);
  const real = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) && Number(hour) < 24;
  if (!real || Number(minute) > 59 || Number(second) > 59) return undefined;
  return zone === undefined ? { wall } : { wall, offset: offsetOf(zone) };
}

/** Seconds since midnight. */
export function parseTimeOfDay(text: string): number | undefined {
  if (text.length > LONGEST) return undefined;
  const [, hour, minute, second = "0"] = TIME.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  return Number(hour) * 3600 + Number(minute) * 60 + Number(second);
}

function offsetOf(zone: string): number {
  if (zone.toUpperCase() === "Z") return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith("-") ? -minutes : minutes) * 60_000;
}
