import { skipSpace, skipString, skipValue } from "./scan.ts";

/** JSON without white space between its tokens; every token as it was written. `bytes` must be JSON. */
export function compactJson(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length);
  let to = 0;
  for (let at = skipSpace(bytes, 0, bytes.length); at < bytes.length; at = skipSpace(bytes, at, bytes.length)) {
    const end = bytes[at] === 34 ? skipString(bytes, at, bytes.length) : at + 1;
    to += bytes.copy(out, to, at, end);
    at = end;
  }
  return out.subarray(0, to);
}

/**
 * JSON as the original writes a value again that it has parsed: no white space, strings with the shortest escapes,
 * numbers in their shortest spelling (`12.50` -> `12.5`, `1E2` -> `100.0`) where that keeps their exact value, else as
 * written. Undefined when a string holds half a surrogate pair.
 */
export function rewriteJson(bytes: Buffer): string | undefined {
  let text = "";
  for (let at = skipSpace(bytes, 0, bytes.length); at < bytes.length; at = skipSpace(bytes, at, bytes.length)) {
    const byte = bytes[at]!;
    if (byte === 34) {
      const end = skipString(bytes, at, bytes.length);
      const parsed = parseString(bytes.toString("utf8", at, end));
      if (parsed === undefined) return undefined;
      text += JSON.stringify(parsed);
      at = end;
    } else if (byte === 45 || (byte >= 48 && byte <= 57)) {
      const end = skipValue(bytes, at, bytes.length);
      text += rewriteNumber(bytes.toString("latin1", at, end));
      at = end;
    } else {
      text += String.fromCharCode(byte);
      at++;
    }
  }
  return text;
}

/** The text of a JSON string with its quotes; undefined when it holds half a surrogate pair. */
export function parseString(json: string): string | undefined {
  const text = JSON.parse(json) as string;
  return hasLoneSurrogate(text) ? undefined : text;
}

const LONE = /\p{Surrogate}/u;

export function hasLoneSurrogate(text: string): boolean {
  return LONE.test(text);
}

function rewriteNumber(written: string): string {
  if (/^-?\d+$/.test(written)) return written;
  const value = Number(written);
  const shortest = floatText(value);
  return Number.isFinite(value) && sameDecimal(written, shortest) ? shortest : written;
}

/** A double as Rust prints it: at least one decimal, an exponent from 1e16 up and below 1e-5. */
function floatText(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const power = Number(exponent);
  if (value !== 0 && (power >= 16 || power < -5)) return `${digits}e${power}`;
  // toString turns to exponents outside of 1e-7 .. 1e21, which lies beyond these bounds.
  const text = String(value);
  return text.includes(".") ? text : `${text}.0`;
}

/** Whether two decimal texts are the same number, exactly. */
function sameDecimal(a: string, b: string): boolean {
  const left = normalDecimal(a);
  const right = normalDecimal(b);
  return left.sign === right.sign && left.digits === right.digits && left.exponent === right.exponent;
}

function normalDecimal(text: string): { sign: string; digits: string; exponent: number } {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(
    text,
  )!;
  const all = (whole + fraction).replace(/^0+/, "");
  const digits = all.replace(/0+$/, "");
  if (digits === "") return { sign, digits: "", exponent: 0 };
  return { sign, digits, exponent: Number(exponent) - fraction.length + (all.length - digits.length) };
}
