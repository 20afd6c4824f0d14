import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { fitByReference, type Json, Misfit, mapByReference, type Schema } from "./reference.ts";
import { transformed, transformedLines } from "./transforming.ts";

const KEYS = ["a", "b", "c", "dä", 'q"', "x y"];
const TEXTS = ["", "7", "-7", " 8 ", "+9", "2.5", "true", "0", "1", "false", "no", "ü\n", "\u2028"];
const TYPES = [undefined, "integer", "number", "string", "boolean", "array", "object"];
const DOCUMENTS = 200;
const REFUSED = /^\$.* \[(coercion|enum|type_mismatch|missing_required)\]: /;

describe("20,000 random documents", () => {
  it("are mapped as parsed values are", async () => {
    const random = new Random(1);
    const wrong: string[] = [];
    for (let round = 0; round < 50; round++) {
      const mapping = Object.fromEntries(
        Array.from({ length: 5 }, (_, n) => [`${random.of(["k", "l.m", "l.o"])}${n}`, randomPath(random)]),
      );
      const documents = Array.from({ length: DOCUMENTS }, () => randomValue(random, 3));
      const texts = documents.map((document) => written(document, random));
      const results = await transformedLines({ mapping }, texts);
      for (const [n, document] of documents.entries())
        if (!isDeepStrictEqual(JSON.parse(results[n]!), mapByReference(mapping, document))) wrong.push(texts[n]!);
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  it("are made to fit a schema as parsed values are", async () => {
    const random = new Random(2);
    const wrong: unknown[] = [];
    let fits = 0;
    for (let round = 0; round < 50; round++) {
      const schema = randomSchema(random, 3);
      const documents = Array.from({ length: DOCUMENTS }, () => randomFor(random, schema));
      const texts = documents.map((document) => written(document, random));
      const results = await transformed({ schema } as Parameters<typeof transformed>[0], texts);
      for (const [n, document] of documents.entries()) {
        const wanted = byReference(schema, document);
        const result = results[n]!;
        const same = wanted === undefined ? REFUSED.test(result) : isDeepStrictEqual(parsed(result), wanted);
        if (!same) wrong.push([texts[n], result, schema]);
        if (wanted !== undefined) fits++;
      }
    }
    expect(wrong).toEqual([]);
    expect(fits).toBeGreaterThan(2000);
    expect(fits).toBeLessThan(9000);
  }, 60_000);

  it("come out of a slab, where most of them need only a look, as they do one by one", async () => {
    const random = new Random(3);
    let kept = 0;
    for (let round = 0; round < 100; round++) {
      const members = KEYS.slice(0, 3).map((key) => [key, member(random)] as const);
      const schema = { type: "object", properties: Object.fromEntries(members), required: random.of([[], ["a"]]) };
      const settings = { schema, coerce: random.below(10) < 9, coerce_empty_as_null: random.below(10) < 3 };
      const texts = Array.from({ length: DOCUMENTS }, () => tight(random));
      const results = await transformedLines(settings, texts);
      expect(results, JSON.stringify(settings)).toEqual(await transformed(settings, texts));
      kept += results.filter((result) => !REFUSED.test(result)).length;
    }
    expect(kept).toBeGreaterThan(3000);
    expect(kept).toBeLessThan(18_000);
  }, 60_000);
});

function parsed(result: string): unknown {
  return result.startsWith("$") ? result : JSON.parse(result);
}

function byReference(schema: Schema, document: Json): Json | undefined {
  try {
    return fitByReference(schema, document);
  } catch (error) {
    if (error instanceof Misfit) return undefined;
    throw error;
  }
}

/** With blanks and escapes where JSON allows them. */
function written(value: Json, random: Random): string {
  const blank = (): string => random.of(["", "", "", " ", "\t "]);
  const text = (value: string): string => JSON.stringify(value).replaceAll("a", () => random.of(["a", "a", "\\u0061"]));
  if (typeof value === "string") return text(value);
  if (Array.isArray(value))
    return `[${blank()}${value.map((item) => written(item, random)).join(`${blank()},`)}${blank()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, item]) => `${text(key)}${blank()}:${blank()}${written(item, random)}`,
  );
  return `${blank()}{${blank()}${members.join(`${blank()},${blank()}`)}}${blank()}`;
}

function randomValue(random: Random, depth: number): Json {
  const kind = random.below(depth > 0 ? 8 : 5);
  if (kind === 0) return null;
  if (kind === 1) return random.below(2) === 0;
  if (kind === 2) return random.below(1000) - 500;
  if (kind === 3) return random.below(1000) / 8 + 0.0625;
  if (kind === 4) return random.of(TEXTS);
  if (kind === 5) return Array.from({ length: random.below(4) }, () => randomValue(random, depth - 1));
  return Object.fromEntries(random.some(KEYS).map((key) => [key, randomValue(random, depth - 1)]));
}

/** Mostly of the shape that the schema asks for. */
function randomFor(random: Random, schema: Schema): Json {
  if (random.below(12) === 0) return randomValue(random, 2);
  const { type, properties = {}, items } = schema;
  if (type === "object" || schema.properties) {
    const own = Object.entries(properties).filter(() => random.below(6) > 0);
    const fields = own.map(([key, inside]) => [key, randomFor(random, inside)] as const);
    return Object.fromEntries([...fields, ["more", randomValue(random, 1)]]);
  }
  if (type === "array") return Array.from({ length: random.below(4) }, () => randomFor(random, items ?? {}));
  if (type === "string") return random.of([...TEXTS, 5]);
  if (type === "boolean") return random.of(["true", "0", true, false]);
  return type === undefined ? randomValue(random, 1) : random.of(["7", 8, "-3", 12]);
}

function randomSchema(random: Random, depth: number): Schema {
  const type = depth === 3 ? "object" : random.of(depth > 0 ? TYPES : TYPES.slice(0, 5));
  const nullable = random.below(4) === 0 ? { nullable: true } : {};
  if (type === "object") {
    const keys = random.some(KEYS);
    const properties = Object.fromEntries(keys.map((key) => [key, randomSchema(random, depth - 1)]));
    return { type, ...nullable, properties, required: keys.filter(() => random.below(6) === 0) };
  }
  if (type === "array") return { type, ...nullable, items: randomSchema(random, depth - 1) };
  const fallback = { integer: 1, number: 1.5, string: "d", boolean: true }[type ?? ""];
  return {
    ...(type === undefined ? {} : { type }),
    ...nullable,
    ...(fallback !== undefined && random.below(3) === 0 ? { default: fallback } : {}),
    ...(type === "integer" && random.below(3) === 0 ? { enum: [1, 7, 8, 9] } : {}),
  };
}

function randomPath(random: Random): string {
  const keys = ["a", "b", "c", "dä", "x y"];
  const steps = Array.from({ length: 1 + random.below(3) }, () => random.of(keys));
  return `${random.of(["$.", ""])}${steps.join(".")}${random.of(["", "", "[0]", "[1]"])}`;
}

class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed;
  }

  below(limit: number): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.state / 2 ** 32) * limit);
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  some<T>(values: readonly T[]): T[] {
    return values.filter(() => this.below(2) === 0);
  }
}

function member(random: Random): Schema {
  const type = random.of([undefined, "integer", "number", "number", "string", "boolean", "array", "object"] as const);
  const nullable = random.below(10) < 5 ? { nullable: true } : {};
  const fallback = random.below(10) < 1 && type === "string" ? { default: "d" } : {};
  const listed = random.below(10) < 1 && type === "string" ? { enum: ["a", "7"] } : {};
  return { ...(type === undefined ? {} : { type }), ...nullable, ...fallback, ...listed };
}

const PIECES = [
  ...TEXTS.map((text) => JSON.stringify(text)),
  ..."7 -7 0 -0 7.0 7.50 1e3 12345678901234567890 true false null [] {} [1,2] 0.00001 0.5".split(" "),
  ..."12.50 0.10 0.001 -0 007 12. .5 1e3 123456789012345678 12345678901234567890123"
    .split(" ")
    .map((text) => `"${text}"`),
];

/** Without blanks, mostly with fields that are what a schema might want; a field may come twice. */
function tight(random: Random): string {
  const keys = random.below(10) < 2 ? [...KEYS, "a"].reverse() : KEYS;
  const some = keys.filter(() => random.below(10) < 7);
  return `{${some.map((key) => `${JSON.stringify(key)}:${random.of(PIECES)}`).join(",")}}`;
}
