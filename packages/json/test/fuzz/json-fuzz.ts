import { compileFields, FieldKind, type JsonPath, parseJson, spliceFields, writeJson } from "@mqb/json";
import { findSlowly, spliceSlowly } from "../reference.ts";

/** Random documents, whole and damaged, through every reader and the splicer, against JSON.parse. */
export function fuzzJson(rounds: number, seed: number): { documents: number; malformed: number } {
  const random = randomOf(seed);
  let malformed = 0;
  for (let round = 0; round < rounds; round++) {
    const text = document(random);
    if (!agree(text, random)) malformed++;
  }
  return { documents: rounds, malformed };
}

type Random = (below: number) => number;

const KEYS = ["a", "b", "ab", "__proto__", "constructor", "ü", "a b", "", "0", "a\\u0062"];
const SCALARS = [
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

function agree(text: string, random: Random): boolean {
  const around = `{"x":${text}`;
  const bytes = Buffer.from(random(2) === 0 ? text : around);
  const start = bytes.length - Buffer.byteLength(text);
  const paths = Array.from({ length: 1 + random(4) }, () => path(random));
  const expected = findSlowly(text, paths);
  const finder = compileFields(paths);
  const found = finder.find(bytes, start, bytes.length);
  if (found !== (expected !== undefined)) throw new Error(`find says ${found} for ${JSON.stringify(text)}`);
  const parsed = attempt(() => parseJson(bytes.subarray(start)));
  if ((parsed !== undefined) !== found) throw new Error(`parse and find differ for ${JSON.stringify(text)}`);
  const edits = editsFor(random);
  const spliced = attempt(() => spliceFields(bytes, start, bytes.length, edits));
  if (!expected || parsed === undefined) {
    if (spliced !== undefined && parsed === undefined) throw new Error(`splice took ${JSON.stringify(text)}`);
    return false;
  }
  if (JSON.stringify(JSON.parse(writeJson(parsed).toString())) !== JSON.stringify(JSON.parse(text)))
    throw new Error(`written differently: ${JSON.stringify(text)}`);
  for (const [index, one] of expected.entries()) {
    const kind = finder.kinds[index]!;
    const range = bytes.subarray(finder.starts[index], finder.ends[index]).toString();
    const same = kind === one.kind && (kind === FieldKind.absent || JSON.stringify(JSON.parse(range)) === one.text);
    if (!same) throw new Error(`path ${JSON.stringify(paths[index])} of ${JSON.stringify(text)}: ${kind} ${range}`);
  }
  const slowly = spliceSlowly(
    text,
    edits.map(({ path, value }) => ({ path, value: value?.toString() })),
  );
  if (JSON.stringify(JSON.parse(spliced!.toString())) !== JSON.stringify(slowly))
    throw new Error(`edits ${JSON.stringify(edits)} of ${JSON.stringify(text)} give ${spliced}`);
  return true;
}

/** Edits under different first keys, so that none leads into another. */
function editsFor(random: Random): { path: JsonPath; value: Buffer | undefined }[] {
  const keys = ["a", "b", "ab", "ü"].filter(() => random(2) === 0);
  return keys.map((key) => ({
    path: [key, ...(random(2) === 0 ? [] : ["b", ...(random(3) === 0 ? ["a"] : [])])],
    value: random(3) === 0 ? undefined : Buffer.from(SCALARS[random(SCALARS.length)]!),
  }));
}

function path(random: Random): JsonPath {
  return Array.from({ length: random(4) }, () => (random(5) === 0 ? random(3) : KEYS[random(KEYS.length - 1)]!));
}

function document(random: Random): string {
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

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith("MQB_JSON_")) return undefined;
    throw error;
  }
}

/** Mulberry32. */
function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
