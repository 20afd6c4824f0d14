import { slabBatch } from "@mqb/core/plugin";
import { compileBatchFields, compileFields, FieldKind, type JsonPath, plainNumber } from "@mqb/json";
import { document, keyPath, type Random, randomOf } from "./documents.ts";

/** Random documents in random slabs: what is found in the batch at once is what the walk over each one finds. */
export function fuzzBatches(
  rounds: number,
  seed: number,
): { documents: number; malformed: number; tight: number; plain: number } {
  const random = randomOf(seed);
  const counts = { documents: 0, malformed: 0, tight: 0, plain: 0 };
  for (let round = 0; round < rounds; round++) {
    const paths = Array.from({ length: random(5) }, () => keyPath(random));
    const numbers = paths.map((_, path) => path).filter(() => random(2) > 0);
    const found = compileBatchFields(paths, { numbers });
    for (let batch = 0; batch < 2; batch++) {
      const texts = Array.from({ length: random(9) }, () => (random(3) > 0 ? flat(random) : document(random)));
      compare(texts, paths, numbers, found, random, counts);
    }
  }
  return counts;
}

function compare(
  texts: readonly string[],
  paths: readonly JsonPath[],
  numbers: readonly number[],
  found: ReturnType<typeof compileBatchFields>,
  random: Random,
  counts: { documents: number; malformed: number; tight: number; plain: number },
): void {
  const slab = slabOf(texts, random);
  found.begin(slabBatch(slab));
  const finder = compileFields(paths);
  for (const [index, text] of texts.entries()) {
    const said = { text, paths, texts };
    finder.find(slab.bytes, slab.starts[index]!, slab.ends[index]!);
    found.at(index);
    counts.documents++;
    if (finder.root === FieldKind.absent) counts.malformed++;
    if (found.root(index) !== finder.root) throw new Error(`root ${found.root(index)}: ${JSON.stringify(said)}`);
    if (found.isTight(index)) {
      counts.tight++;
      if (isLoose(text, paths)) throw new Error(`blanks were not seen: ${JSON.stringify(said)}`);
    }
    const strings = paths.filter((_, path) => finder.kinds[path] === FieldKind.string);
    if (found.isPlain(index) && strings.length > 0) {
      counts.plain++;
      const escaped = paths.some(
        (_, path) =>
          finder.kinds[path] === FieldKind.string &&
          slab.bytes.subarray(finder.starts[path], finder.ends[path]).includes(0x5c),
      );
      if (escaped) throw new Error(`an escape was not seen: ${JSON.stringify(said)}`);
    }
    for (let path = 0; path < paths.length; path++) {
      const at = found.base + path;
      const kind = finder.kinds[path]!;
      const same =
        found.kinds[at] === kind &&
        (kind === FieldKind.absent ||
          (found.starts[at] === finder.starts[path] && found.ends[at] === finder.ends[path]));
      if (!same) throw new Error(`path ${path} differs: ${JSON.stringify(said)}`);
    }
    for (const [n, path] of numbers.entries()) {
      const kind = finder.kinds[path];
      const quote = kind === FieldKind.string ? 1 : 0;
      const isText = kind === FieldKind.string || kind === FieldKind.number;
      const [from, to] = [finder.starts[path]! + quote, finder.ends[path]! - quote];
      const wanted = isText ? plainNumber(slab.bytes, from, to) : Number.NaN;
      const number = found.numbers[index * numbers.length + n]!;
      if (!Object.is(number, wanted)) throw new Error(`number ${number}, not ${wanted}: ${JSON.stringify(said)}`);
    }
  }
}

/** Payloads with random gaps, behind bytes that belong to nothing. */
function slabOf(texts: readonly string[], random: Random) {
  const parts: Buffer[] = [];
  const starts = new Uint32Array(texts.length);
  const ends = new Uint32Array(texts.length);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    parts.push(Buffer.from(["", "\n", '"', '{"a":', "x".repeat(20)][random(5)]!));
    at += parts.at(-1)!.length;
    starts[index] = at;
    parts.push(Buffer.from(text));
    at += parts.at(-1)!.length;
    ends[index] = at;
  }
  parts.push(Buffer.from(["", '"', "0123456789", "}"][random(4)]!));
  return { bytes: Buffer.concat(parts), starts, ends };
}

/** An object as programs write it, at times with a blank, a key that comes twice or one byte that is wrong. */
function flat(random: Random): string {
  const names = ["a", "b", "ab", "ü", "a key of more than sixteen bytes", "a key of more than sixteen byteS", "0"];
  const values = [
    '"x"',
    '"a text of sixteen and more bytes, in all"',
    "1.50",
    "-0",
    "true",
    "null",
    '{"a":1,"b":[2]}',
    '"\\""',
    "12",
    '"-12.75"',
    '"1."',
    '"123456789.123456"',
  ];
  const blank = random(4) === 0 ? () => ["", " ", "\n"][random(3)]! : () => "";
  const members = names
    .filter(() => random(3) > 0)
    .concat(random(6) === 0 ? ["a"] : [])
    .map(
      (name) =>
        `${blank()}"${name}"${blank()}:${blank()}${random(4) === 0 ? long(random) : values[random(values.length)]}${blank()}`,
    );
  const text = `{${members.join(",") || blank()}}`;
  if (random(5) > 0) return text;
  const at = random(text.length);
  return text.slice(0, at) + ['"', "}", ",", "\\", " ", "\u0001", "x", "-"][random(8)]! + text.slice(at + random(2));
}

/** A string of any length around those that one look takes in, perhaps with an escape near its end. */
function long(random: Random): string {
  return `"${"z".repeat(random(140))}${["", "", "\\n", '\\"', "\\u0041"][random(5)]}${"z".repeat(random(9))}"`;
}

/** Blanks around the document, or between the members of the object that it is when paths lead into it. */
function isLoose(text: string, paths: readonly JsonPath[]): boolean {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/gs, '""');
  let depth = 0;
  for (const letter of bare) {
    if (letter === "{" || letter === "[") depth++;
    else if (letter === "}" || letter === "]") depth--;
    else if (
      /\s/.test(letter) &&
      (depth === 0 || (depth === 1 && bare.startsWith("{") && paths.some((path) => path.length > 0)))
    )
      return true;
  }
  return false;
}
