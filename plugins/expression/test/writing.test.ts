import { slabBatch } from "@mqb/core/plugin";
import expression from "@mqb/expression";
import { expect, test } from "vitest";
import { numberScratch, writeNumber } from "../src/compile/write-number.ts";
import { Bytes } from "./bytes.ts";
import { bothForms } from "./messages.ts";

const { evaluator } = expression.expressions!;

const VALUES = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "0.0",
  "7",
  "7.0",
  "-7",
  "7.50",
  "7.5",
  "1e3",
  "1E-7",
  "0.000001",
  "0.0000001",
  "-0.25",
  "123456789012345",
  "1234567890123456",
  "123456789.123456",
  "0.1",
  "0.30000000000000004",
  "12345678901234567890123",
  "1e400",
  '""',
  '"a"',
  '"7.25"',
  '"\\u0061"',
  '"\\n\\""',
  '"ü€😀\u2028"',
  '"\\ud800"',
  "[7.0,{}]",
  '{"b":1,"a":[]}',
];
const ROWS = [
  ...VALUES.map((value) => `{"a":${value},"b":2}`),
  '{"b":"x"}',
  "[1]",
  "{",
  '"a"',
  ' { "b" : 1 , "a" : 2 } ',
];
const SOURCES = [
  "a",
  "b",
  "{ id: a, total: number(a) * 2, who: b }",
  "{ x: { y: a, z: b }, w: 'ü\"' }",
  "{ x: a, x: b }",
  "{}",
  "[a, b]",
  "'t'",
  "{ k: number(a) + number(b), l: a }",
  "a * b",
  "a / 3",
  "{ n: null, t: true, m: meta.k }",
  "$root",
  "number(a) * 0.5",
  "{ 'k\"': a > 1 ? 'more' : 1.5 }",
  "x = a; { y: x }",
];

const batch = bothForms(ROWS)[1]!;

function said(work: () => string): string {
  try {
    return work();
  } catch (error) {
    return `failed: ${(error as Error).message}`;
  }
}

test.each(SOURCES)("%s is written into a buffer as it is made for each message", (source) => {
  const one = evaluator(source);
  one.begin!(batch);
  for (const [index, row] of ROWS.entries()) {
    const into = new Bytes();
    into.ascii("before");
    const expected = said(() => Buffer.from(evaluator(source).evaluate(batch.at(index))).toString());
    const written = said(() => {
      one.write!(index, into);
      return into.text.slice("before".length);
    });
    expect(written, row).toBe(expected);
  }
});

test("payloads that are no UTF-8 are written as they are read", () => {
  const bytes = Buffer.from('{"a":"\xff"}', "latin1");
  const broken = slabBatch({ bytes, starts: Uint32Array.of(0), ends: Uint32Array.of(bytes.length) });
  const one = evaluator("{ a: a }");
  one.begin!(broken);
  const into = new Bytes();
  one.write!(0, into);
  expect(into.text).toBe('{"a":"\ufffd"}');
});

test("numbers are written as JavaScript writes them", () => {
  const numbers = [
    0,
    -0,
    1,
    -1,
    0.1,
    -0.1,
    1e-6,
    1e-7,
    1.5e-6,
    123456.789,
    999999999.999999,
    1e9,
    1e15,
    1e21,
    0.1 + 0.2,
    5e-324,
  ];
  for (let i = 0; i < 3000; i++)
    numbers.push((((i * 7919) % 100_003) - 50_000) / 10 ** (i % 9), Math.sin(i) * 10 ** (i % 20));
  const digits = numberScratch();
  for (const number of numbers) {
    const into = new Bytes();
    writeNumber(number, into, digits);
    expect(into.text).toBe(String(number));
  }
});
