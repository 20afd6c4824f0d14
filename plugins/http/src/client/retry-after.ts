/** Whatever a server asks for, it is asked again within the day. */
const LONGEST_MS = 86_400_000;

/**
 * The wait that a `Retry-After` asks for, in milliseconds, at most a day: it gives seconds or a date. Undefined when it is
 * neither.
 */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = Array.isArray(header) ? header.at(-1) : header;
  if (text === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_MS);
  const isDate = /^\s*(mon|tue|wed|thu|fri|sat|sun)/i.test(text);
  const date = isDate ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), LONGEST_MS);
}
