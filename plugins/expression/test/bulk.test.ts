import expression from "@mqb/expression";
import { expect, test } from "vitest";
import { bothForms } from "./messages.ts";

const { predicate } = expression.expressions!;

const VALUES = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "0.0",
  "-0.0",
  "7",
  "7.0",
  "-7",
  "7.5",
  "1e1",
  "123456789012345",
  "1234567890123456",
  "9007199254740993",
  "0.1",
  "0.30000000000000004",
  "1e400",
  '"7"',
  '"7.50"',
  '" 7"',
  '"+7"',
  '"007"',
  '"7."',
  '".5"',
  '"-.5"',
  '"-0"',
  '"-"',
  '"1_0"',
  '"1e1"',
  '"seven"',
  '""',
  '"a"',
  '"\\u0061"',
  '"a\\n"',
  '"ü"',
  "[7]",
  "[]",
  '{"a":7}',
  "{}",
  `"${"1".repeat(20)}"`,
  `"${"0".repeat(14)}7"`,
];
const ROWS = [
  ...VALUES.flatMap((value) => [
    `{"a":${value}}`,
    `{"a":${value},"b":7,"c":{"d":"a"},"e":true}`,
    ` {"b":${value}, "a":7}`,
  ]),
  '{"c":{"d":"a"},"c":{"d":"b"}}',
  "[1]",
  '"a"',
  "{",
  "",
  '{"a":7,}',
  '{"a":7,"a":8}',
  '{"\\u0061":7}',
];

const NUMBERS = ["7", "-7", "0", "7.5", "+7", "0.1", "9007199254740993", "123456789012345"];
const TESTS = [
  ...["==", "!=", "<", "<=", ">", ">="].flatMap((operator) =>
    NUMBERS.flatMap((number) => [
      `a ${operator} ${number}`,
      `number(a) ${operator} ${number}`,
      `${number} ${operator} a`,
      `${number} ${operator} number(c.d)`,
    ]),
  ),
  ...["==", "!="].flatMap((operator) => ["a", "", "ü", "7", 'q"', "a\\n"].map((text) => `a ${operator} '${text}'`)),
  "'a' == a",
  "c.d == 'a'",
  "'a' != c.d",
  "a in ['a', 'seven']",
  "a not in ['a', 'ü']",
  "a in []",
  "a in ['a', 7]",
  "e",
  "a",
  "not e",
];
const JOINS = [
  ...["and", "or"].flatMap((word) =>
    ["a > 0", "number(a) < 8", "a == 'a'", "e", "not e", "a in ['a']"].flatMap((first) =>
      ["b == 7", "number(b) > 1", "c.d == 'a'", "e", "b not in ['7']"].map((second) => `${first} ${word} ${second}`),
    ),
  ),
  "not (a > 0)",
  "not (a > 0 or b == 7)",
  "a > 0 and (b == 7 or c.d == 'a') and not e",
];

const [asMessages, asSlab] = bothForms(ROWS);

/** The same test where a constant among its parts leaves it to the closures. */
const slowly = (source: string): string => `(${source}) or false`;

test.each([...TESTS, ...JOINS])("%s says of a whole batch what it says of each message", (source) => {
  const expected = predicate(slowly(source)).test(asSlab!);
  for (const batch of [asMessages!, asSlab!]) {
    const { matched, failed } = predicate(source).test(batch);
    expect([...matched].map((index) => ROWS[index])).toEqual([...expected.matched].map((index) => ROWS[index]));
    expect(failed?.map(({ index }) => ROWS[index])).toEqual(expected.failed?.map(({ index }) => ROWS[index]));
  }
});
