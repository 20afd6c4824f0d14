import { batchOf, Message } from "@mqb/core/plugin";
import { type JsonPath, spliceFields } from "@mqb/json";
import { randomFrom, slabOf } from "@mqb/testkit";
import { expect, it } from "vitest";
import { Fields } from "../src/fields.ts";
import { Output } from "../src/output.ts";
import { Places } from "../src/places.ts";

const KEYS = ["a", "b", "c", "__proto__", 'q"', "ä"];
const BLANKS = ["", "", "", " ", "\n\t"];

function documents(next: () => number) {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  const blank = () => pick(BLANKS);
  const key = () => (next() < 0.1 ? '"\\u0061"' : JSON.stringify(pick(KEYS)));
  const value = (depth: number): string => {
    if (depth > 0 && next() < 0.5) return object(depth - 1);
    return pick(["1.0", "null", '"x}"', "[1, {}]", "true", '"\\\\\\""', "{}", "{ }", "-0", "[]"]);
  };
  const object = (depth: number): string => {
    const members = Array.from({ length: Math.floor(next() * 4) }, () => {
      return `${blank()}${key()}${blank()}:${blank()}${value(depth)}${blank()}`;
    });
    return `{${members.length > 0 ? members.join(",") : blank()}}`;
  };
  const paths = (): JsonPath[] => {
    const found: JsonPath[] = [];
    for (let tries = 0; tries < 4; tries++) {
      const path = Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(KEYS));
      const overlaps = found.some((one) => {
        const length = Math.min(one.length, path.length);
        return path.slice(0, length).every((step, i) => step === one[i]);
      });
      if (!overlaps) found.push(path);
    }
    return found;
  };
  return { object: () => `${blank()}${object(3)}${blank()}`, paths, pick };
}

it("answers are written as by a slow reference that looks at one document after another", () => {
  const next = randomFrom(20_261_130);
  const { object, paths, pick } = documents(next);
  let written = 0;
  let refused = 0;
  for (let round = 0; round < 200; round++) {
    const into = inOrder(paths());
    const payloads = Array.from({ length: 10 }, object);
    const list = payloads.map((payload) => new Message(payload));
    const places = new Places(into);
    const found = places.of(new Fields(places.paths).look(round % 2 ? batchOf(list) : slabOf(list)));
    const got: string[] = [];
    const expected: string[] = [];
    for (const [index, payload] of payloads.entries()) {
      expected.push(hasRoom(payload, into) ? payload : `no room in ${payload}`);
      got.push(found.fault(index) ? `no room in ${payload}` : payload);
      if (found.fault(index)) {
        refused++;
        continue;
      }
      const values = into.map(() => (next() < 0.2 ? undefined : Buffer.from(pick(["null", '{"new":[1.50]}', '"t"']))));
      const out = new Output(0);
      out.put(Buffer.from("before"));
      found.write(index, values, out);
      const edits = into.flatMap((path, i) => (values[i] ? [{ path, value: values[i] }] : []));
      got.push(out.bytes.toString());
      expected.push(`before${spliceFields(Buffer.from(payload), 0, Buffer.byteLength(payload), edits).toString()}`);
      written++;
    }
    expect(got, JSON.stringify(into)).toEqual(expected);
  }
  expect(written).toBeGreaterThan(500);
  expect(refused).toBeGreaterThan(100);
});

/** What is added to one object stands in the order in which the paths first name it: those with a beginning together. */
function inOrder(paths: readonly JsonPath[], depth = 0): JsonPath[] {
  const keys = [...new Set(paths.map((path) => path[depth]))];
  return keys.flatMap((key) => {
    const group = paths.filter((path) => path[depth] === key);
    return group.length === 1 ? group : inOrder(group, depth + 1);
  });
}

/** Of keys that are there twice the last counts, as for JSON.parse. */
function hasRoom(payload: string, paths: readonly JsonPath[]): boolean {
  return paths.every((path) => {
    let at: unknown = JSON.parse(payload);
    for (const step of path.slice(0, -1)) {
      if (typeof at !== "object" || at === null || Array.isArray(at)) return false;
      if (!Object.hasOwn(at, step)) return true;
      at = (at as Readonly<Record<string, unknown>>)[step];
    }
    return typeof at === "object" && at !== null && !Array.isArray(at);
  });
}
