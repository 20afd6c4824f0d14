/** Random expressions of the language, most of them well typed, over the names of `CONTEXT`. */
export const CONTEXT = {
  i: 7,
  j: -3,
  f: 2.5,
  g: 0.1,
  s: "abc",
  t: "b",
  e: "",
  yes: true,
  no: false,
  nothing: null,
  list: [3, 1, 2],
  words: ["a", "b", "abc"],
  order: { status: "new", total: 12.75, lines: [{ qty: 2 }, { qty: 5 }] },
};

type Kind = "number" | "text" | "truth" | "numbers" | "texts";
type Random = (below: number) => number;

export function generate(count: number, seed: number): string[] {
  const random = mulberry(seed);
  const kinds: readonly Kind[] = ["number", "text", "truth", "truth", "numbers", "texts"];
  return Array.from({ length: count }, () => make(kinds[random(kinds.length)]!, random, 0));
}

function make(kind: Kind, random: Random, depth: number): string {
  // Now and then the wrong type: errors must agree as well.
  const wanted = random(40) === 0 ? (["number", "text", "truth"] as const)[random(3)]! : kind;
  const inner = (one: Kind): string => make(one, random, depth + 1);
  const leaf = depth > 3 || random(4) === 0;
  const choice = (options: readonly (() => string)[]): string => options[random(options.length)]!();
  const leaves: Readonly<Record<Kind, readonly string[]>> = {
    number: ["i", "j", "f", "g", "0", "1", "12", "0.5", "100.25", "order.total", "list[1]", "missing", "nothing"],
    text: ["s", "t", "e", '"x"', "'abc'", "order.status", '"a b"', "words[0]"],
    truth: ["yes", "no", "true", "false", "nothing == null", "missing != null"],
    numbers: ["list", "[1, 2.5]", "[]", "map(order.lines, #.qty)"],
    texts: ["words", '["x", "abc"]', "keys(order.lines[0])"],
  };
  if (leaf) return leaves[wanted][random(leaves[wanted].length)]!;
  const divisor = (): string => ["2", "4", "0.5", "3"][random(4)]!;
  const options: Readonly<Record<Kind, readonly (() => string)[]>> = {
    number: [
      () => `${inner("number")} + ${inner("number")}`,
      () => `(${inner("number")}) - (${inner("number")})`,
      () => `${inner("number")} * ${inner("number")}`,
      () => `(${inner("number")}) / ${divisor()}`,
      () => `(${inner("number")}) % ${divisor()}`,
      () => `-(${inner("number")})`,
      () => `(${inner("truth")} ? ${inner("number")} : ${inner("number")})`,
      () => `len(${inner("text")})`,
      () => `sum(${inner("numbers")})`,
      () => `max(${inner("numbers")})`,
      () => `median(${inner("numbers")})`,
      () => `round(${inner("number")})`,
      () => `floor(${inner("number")})`,
      () => `abs(${inner("number")})`,
      () => `count(${inner("numbers")}, # > ${inner("number")})`,
      () => `(${inner("number")} ?? ${inner("number")})`,
      () => `(${inner("number")}) ^ 2`,
    ],
    text: [
      () => `${inner("text")} + ${inner("text")}`,
      () => `upper(${inner("text")})`,
      () => `trim(${inner("text")})`,
      () => `(${inner("truth")} ? ${inner("text")} : ${inner("text")})`,
      () => `\`<\${${["s", "i", "yes", "order.status"][random(4)]}}>\``,
      () => `string(${inner("truth")})`,
      () => `type(${inner(kindOf(random))})`,
    ],
    truth: [
      () => `${inner("number")} ${["<", ">", "<=", ">=", "==", "!="][random(6)]} ${inner("number")}`,
      () => `${inner("text")} ${["==", "!="][random(2)]} ${inner("text")}`,
      () => `${inner("truth")} and ${inner("truth")}`,
      () => `(${inner("truth")} or ${inner("truth")})`,
      () => `not (${inner("truth")})`,
      () => `${inner("number")} in ${inner("numbers")}`,
      () => `${inner("number")} ${random(2) === 0 ? "" : "not "}in [1..${2 + random(20)}${"])"[random(2)]}`,
      () => `${inner("text")} in ${inner("texts")}`,
      () => `contains(${inner("text")}, ${inner("text")})`,
      () => `startsWith(${inner("text")}, ${inner("text")})`,
      () => `some(${inner("numbers")}, # > ${inner("number")})`,
      () => `all(${inner("texts")}, contains(#, ${inner("text")}))`,
      () => `one(${inner("numbers")}, # == ${inner("number")})`,
      () => `isNumeric(${inner("text")})`,
      () => `matches(${inner("text")}, "${["^a", "b+", "[a-c]$", ".*"][random(4)]}")`,
    ],
    numbers: [
      () => `[${inner("number")}, ${inner("number")}]`,
      () => `map(${inner("numbers")}, # * ${inner("number")})`,
      () => `filter(${inner("numbers")}, # < ${inner("number")})`,
      () => `flatMap([${inner("numbers")}, ${inner("numbers")}], #)`,
      () => `map([1..${1 + random(5)}], # + ${inner("number")})`,
      () => "list[0:1]",
    ],
    texts: [
      () => `map(${inner("texts")}, # + ${inner("text")})`,
      () => `split(${inner("text")}, "${["b", " ", "x"][random(3)]}")`,
      () => `filter(${inner("texts")}, # != ${inner("text")})`,
      () => `extract(${inner("text")}, "(a)(b)?")`,
    ],
  };
  return choice(options[wanted]);
}

function kindOf(random: Random): Kind {
  return (["number", "text", "truth", "numbers", "texts"] as const)[random(5)]!;
}

function mulberry(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
