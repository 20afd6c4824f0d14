import type { Random } from "./random.ts";

const BLANKS = ["", "", "", " ", "\n", "\t ", "\r\n"];
const SCALARS = ["0", "-0", "1.50", "1E5", "-12e-3", "123456789012345678901234567890", "true", "false", "null", '""'];
const STRINGS = [
  '"a"',
  '"a,b"',
  '"say \\"hi\\""',
  '"nl\\nx"',
  '"cr\\r"',
  '"é 😀"',
  '"\\u00e9\\ud83d\\ude00"',
  '"#"',
  '"x##y"',
  '"-12.50"',
  '"7"',
  '".5"',
  '"{[]}\\\\"',
];
const LONG = ['"a text of more than sixteen bytes, with a comma"', '"a text of more than sixteen bytes \\u0041"'];

/** One JSON value as text, spelled in random ways. */
export function jsonValue(random: Random, depth: number): string {
  const roll = random.next();
  if (depth === 0 || roll < 0.7) return random.pick(random.chance(0.5) ? SCALARS : random.chance(0.8) ? STRINGS : LONG);
  if (roll < 0.85) {
    const items = Array.from(
      { length: random.below(4) },
      () => blank(random) + jsonValue(random, depth - 1) + blank(random),
    );
    return `[${items.join(",") || blank(random)}]`;
  }
  return jsonObject(random, ["x", "y", "", "z.w"], depth - 1);
}

/** One JSON object as text, with some of the keys, in random order, at times one twice. */
export function jsonObject(random: Random, keys: readonly string[], depth: number): string {
  const members: string[] = [];
  const orderly = random.chance(0.5);
  for (let i = orderly ? 0 : random.below(keys.length + 1); i < keys.length; i++) {
    const key = JSON.stringify(orderly ? keys[i] : random.pick(keys));
    if (orderly && random.chance(0.1)) continue;
    const spelled = random.chance(0.05) ? key.replace(/[a-z]/, (c) => `\\u00${c.charCodeAt(0).toString(16)}`) : key;
    members.push(
      `${blank(random)}${spelled}${blank(random)}:${blank(random)}${jsonValue(random, depth)}${blank(random)}`,
    );
  }
  return `{${members.join(",") || blank(random)}}`;
}

/** One JSON object as a program writes it: all keys in their order, blanks at most behind commas and colons. */
export function orderlyObject(random: Random, keys: readonly string[]): string {
  const [comma, colon] = random.pick([[",", ":"] as const, [", ", ": "] as const]);
  return `{${keys.map((key) => JSON.stringify(key) + colon + jsonValue(random, 1)).join(comma)}}`;
}

/** The same text with one byte changed, removed or put in: nearly always malformed. */
export function damaged(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const put = random.pick(["", '"', "{", "}", "[", "]", ",", ":", "x", "\\", "\n", "0", "\\ud800", "-"]);
  // A pair of surrogates that was cut apart becomes what it would be as bytes.
  return Buffer.from(text.slice(0, at) + put + text.slice(at + random.below(2))).toString();
}

function blank(random: Random): string {
  return random.pick(BLANKS);
}
