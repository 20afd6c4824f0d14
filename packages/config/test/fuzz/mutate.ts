import { pick, type Random } from "@mqb/testkit";

/** What breaks parsers and those who read what they made. */
const PIECES = [
  "__proto__: {polluted: yes}\n",
  "constructor: {prototype: {polluted: yes}}\n",
  '"__proto__": ',
  "<<: *a\n",
  "&a ",
  "*a",
  "<<: [*a, *a]",
  "!!binary ",
  "!!js/function 'x'",
  "%YAML 1.1\n---\n",
  "---\n",
  "...\n",
  "? ",
  "\t",
  "\r\n",
  "\u0000",
  "\uFEFF",
  "\uD800",
  "\uE0000\uE001",
  "${",
  "${A",
  "${A:-",
  "${A:-}",
  "${__proto__}",
  "$$",
  "$constructor",
  "{",
  "}",
  "[",
  "]",
  "[[[[[[[[[[",
  '"',
  "'",
  "|\n",
  ">-\n",
  ": ",
  "- ",
  "#",
  "null",
  "~",
  "1e999",
  "-0",
  ".nan",
  "0x",
  "99999999999999999999",
  "true",
  "config: {}\n",
  "routes: []\n",
  "consumers: [{}]\n",
  "publishers: {a: 1}\n",
  "input: null\n",
  "middlewares: {0: retry, x: 1}\n",
  "custom: {name: __proto__, config: {}}\n",
  "ref: a\n",
];
const VARIABLES = ["A", "MQB__ROUTES__R__INPUT", "MQB____PROTO____X", "MQB__CONSUMERS__0__NAME", "__proto__"];

/** A document with a few changes at random: pieces put in, taken out, doubled, swapped or taken from another document. */
export function mutate(text: string, others: readonly string[], random: Random): string {
  let result = text;
  for (let left = 1 + Math.floor(random() * 4); left > 0; left--) result = change(result, others, random);
  return result;
}

/** Variables that a document may refer to, or that are laid over it. */
export function randomEnvironment(random: Random): Record<string, string> {
  const environment: Record<string, string> = Object.create(null);
  for (const name of VARIABLES) if (random() < 0.3) environment[name] = pick(random, PIECES);
  return environment;
}

function change(text: string, others: readonly string[], random: Random): string {
  const at = Math.floor(random() * (text.length + 1));
  const length = Math.floor(random() ** 3 * Math.min(400, text.length));
  const part = text.slice(at, at + length);
  const kind = Math.floor(random() * 7);
  if (kind === 0) return text.slice(0, at) + pick(random, PIECES) + text.slice(at);
  if (kind === 1) return text.slice(0, at) + text.slice(at + length);
  if (kind === 2) return text.slice(0, at) + part + text.slice(at);
  if (kind === 3) return text.slice(0, at) + pick(random, PIECES) + text.slice(at + length);
  if (kind === 4) {
    const lines = text.split("\n");
    const from = Math.floor(random() * lines.length);
    const [line = ""] = lines.splice(from, 1);
    lines.splice(Math.floor(random() * (lines.length + 1)), 0, random() < 0.5 ? line : line.replace(/^ */, ""));
    return lines.join("\n");
  }
  if (kind === 5) {
    const other = pick(random, others);
    const start = Math.floor(random() * other.length);
    return text.slice(0, at) + other.slice(start, start + length) + text.slice(at);
  }
  return text.slice(0, at) + String.fromCharCode(Math.floor(random() * 256)) + text.slice(at + 1);
}
