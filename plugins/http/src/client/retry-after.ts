/** The wait that a `Retry-After` asks for, in milliseconds: it gives seconds or a date. Undefined when it is neither. */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = Array.isArray(header) ? header.at(-1) : header;
  if (text === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1000;
  const isDate = /^\s*(mon|tue|wed|thu|fri|sat|sun)/i.test(text);
  const date = isDate ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
