/** Private use characters stand around the digits of a number that JSON.parse and JSON.stringify would change or refuse. */
const MARKED = /^\uE000(-?\d+)\uE001$/;
const MARKS = /"\uE000(-?\d+)\uE001"/g;
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
/** Numbers with fewer digits are exact. */
const MANY_DIGITS = /\d{16}/;

/** The whole number that a text writes, with every digit: a bigint where a number would lose some. */
export function wholeNumber(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** JSON.parse, with whole numbers that no number holds as bigints. Throws a SyntaxError when the text is no JSON. */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!MANY_DIGITS.test(text)) return value;
  const marked = text.replace(TEXT_OR_NUMBER, (token) => {
    const isLong = /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
    return isLong ? `"\uE000${token}\uE001"` : token;
  });
  return JSON.parse(marked, (_, member: unknown) => {
    const digits = typeof member === "string" ? MARKED.exec(member)?.[1] : undefined;
    return digits === undefined ? member : BigInt(digits);
  });
}

/** JSON.stringify, with bigints as the numbers that they are. What JSON does not have is `null`. */
export function exactJson(value: unknown, indent?: number): string {
  let hasLong = false;
  const mark = (_: string, member: unknown): unknown => {
    if (typeof member !== "bigint") return member;
    hasLong = true;
    return `\uE000${member}\uE001`;
  };
  const text = JSON.stringify(value, mark, indent) ?? "null";
  return hasLong ? text.replace(MARKS, "$1") : text;
}
