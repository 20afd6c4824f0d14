import { expect, it } from "vitest";
import { createRedactor } from "../src/index.ts";

it("hides secrets text by text, so that one text swallows nothing of the next", () => {
  const redactor = createRedactor();
  for (const secret of ["true", 'pw"d\\x']) redactor.add(secret);
  const value = { "a?q={x}": "see http://h/?q={x} end", n: 1796, ok: true, list: ['is pw"d\\x!', null], pw_true: "x" };
  expect(redactor.json(value)).toEqual({
    "a?q=***": "see http://h/?q=*** end",
    n: 1796,
    ok: true,
    list: ["is ***!", null],
    "pw_***": "x",
  });
});

it("keeps members apart whose names are hidden", () => {
  const redactor = createRedactor();
  redactor.add("first");
  redactor.add("second");
  expect(Object.values(redactor.json({ first: 1, second: 2 }))).toEqual([1, 2]);
});
