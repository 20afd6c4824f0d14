/** Above this a number counts milliseconds: as seconds it would be thousands of years ahead. */
const MOST_SECONDS = 1e11;
const LONGEST = 64;
const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))?$/;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * The Unix seconds that a text stands for: epoch seconds, epoch milliseconds, or a time of RFC 3339, which is in UTC
 * when it has no zone. Undefined = none.
 */
export function readTime(text: string): number | undefined {
  const trimmed = text.trim();
  // Longer ones are no times, and the patterns would look at them again and again.
  if (trimmed.length > LONGEST) return undefined;
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(trimmed)) {
    const number = Number(trimmed);
    if (!Number.isFinite(number)) return undefined;
    return number > MOST_SECONDS ? number / 1000 : number;
  }
  const parts = RFC3339.exec(trimmed);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && !leap ? 28 : (DAYS[month - 1] ?? 0);
  if (day < 1 || day > days || hour > 23 || minute > 59 || second > 60) return undefined;
  const [zoneHours, zoneMinutes] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)];
  if (zoneHours > 23 || zoneMinutes > 59) return undefined;
  const offset = (parts[8] === "-" ? -1 : 1) * (zoneHours * 60 + zoneMinutes);
  // `Date.UTC` takes the years 0 to 99 for those of the last century.
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  at.setUTCHours(hour, minute - offset, second, 0);
  return at.getTime() / 1000 + Number(parts[7] ?? 0);
}
