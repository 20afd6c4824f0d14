import type { JsonPath } from "@mqb/json";

export type Random = (below: number) => number;

const KEYS = ["a", "b", "ab", "__proto__", "constructor", "ü", "a b", "", "0", "a\\u0062"];
export const SCALARS = [
  "null",
  "true",
  "false",
  "0",
  "-1",
  "1.5",
  "1e3",
  '""',
  '"x"',
  '"ü"',
  '"\\u0041\\n"',
  '"\\ud83d\\ude00"',
  '"a,b:c}]"',
];
const BLANKS = ["", "", "", " ", "\n", "\t \r"];

/** A path of keys and positions. */
export function path(random: Random): JsonPath {
  return Array.from({ length: random(4) }, () => (random(5) === 0 ? random(3) : KEYS[random(KEYS.length - 1)]!));
}

/** A random document, one of three damaged. */
export function document(random: Random): string {
  let text = value(random, 0);
  if (random(3) === 0) {
    const at = random(text.length + 1);
    const insert = ['"', "{", "]", ",", ":", "\\", "0", " ", "\u0001", "e"][random(10)]!;
    text = random(2) === 0 ? text.slice(0, at) + insert + text.slice(at) : text.slice(0, at) + text.slice(at + 1);
  }
  return text;
}

function value(random: Random, depth: number): string {
  const blank = (): string => BLANKS[random(BLANKS.length)]!;
  const kind = depth > 4 ? 0 : random(6);
  if (kind < 3 && depth > 0) return SCALARS[random(SCALARS.length)]!;
  const count = random(5);
  const items = Array.from({ length: count }, () => {
    const inside = `${blank()}${value(random, depth + 1)}${blank()}`;
    return kind === 5 ? inside : `${blank()}"${KEYS[random(KEYS.length)]}"${blank()}:${inside}`;
  });
  return kind === 5 ? `[${items.join(",")}]` : `{${items.join(",")}}`;
}

/** A path of keys alone. */
export function keyPath(random: Random): JsonPath {
  return path(random).map((step) => (typeof step === "number" ? KEYS[step]! : step));
}

/** Mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
