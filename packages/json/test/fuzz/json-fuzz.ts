import { compileFields, FieldKind, type JsonPath, parseJson, spliceFields, writeJson } from "@mqb/json";
import { findSlowly, spliceSlowly } from "../reference.ts";
import { document, path, type Random, randomOf, SCALARS } from "./documents.ts";

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

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith("MQB_JSON_")) return undefined;
    throw error;
  }
}
