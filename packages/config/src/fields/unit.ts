const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SIZES: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1000,
  mb: 1000 ** 2,
  gb: 1000 ** 3,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};

/** What the end of a field's name says about its numbers. */
const NAMED: readonly {
  readonly end: RegExp;
  readonly unit: string;
  readonly of: typeof UNITS;
  readonly each: number;
}[] = [
  { end: /_ms$/, unit: "milliseconds", of: UNITS, each: 1 },
  { end: /_(?:secs?|seconds)$/, unit: "seconds", of: UNITS, each: 1000 },
  { end: /_bytes$/, unit: "bytes", of: SIZES, each: 1 },
];

/** What to write for `30s` in a field that takes a number; undefined for what is no number with a unit. */
export function unitHint(text: string, field: string): string | undefined {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(text) ?? [];
  const short = unit.toLowerCase();
  if (number === undefined || (UNITS[short] ?? SIZES[short]) === undefined) return undefined;
  const named = NAMED.find(({ end }) => end.test(field));
  const factor = named?.of[short];
  if (!named) return "write the number alone";
  const alone = `"${field}" is in ${named.unit}: write`;
  const value = factor === undefined ? Number.NaN : (Number(number) * factor) / named.each;
  return Number.isSafeInteger(value) ? `${alone} ${value}` : `${alone} the number alone`;
}
