import { expect, it } from "vitest";
import { Output } from "../src/output.ts";

const source = Buffer.from(Array.from({ length: 600 }, (_, i) => 1 + (i % 255)));
/** Behind and before it lies something else. */
const inside = source.subarray(3, 597);

it("copies ranges of every length, from every place of a buffer", () => {
  const out = new Output(0);
  const expected: Buffer[] = [];
  for (let size = 0; size <= 300; size++) {
    for (const from of [0, 1, inside.length - size - 1, inside.length - size]) {
      out.copy(inside, from, from + size);
      out.byte(0);
      out.put(inside.subarray(from, from + size));
      const range = inside.subarray(from, from + size);
      expected.push(range, Buffer.of(0), range);
    }
  }
  expect(out.bytes.subarray(0, out.length).equals(Buffer.concat(expected))).toBe(true);
});

it("copies what is shorter than a word, and changes the buffer that it copies from", () => {
  const out = new Output(0);
  for (const text of ["", "a", "ab", "abc", "abcd"]) out.copy(Buffer.from(text), 0, text.length);
  out.length = 3;
  out.ascii("!");
  out.copy(new Uint8Array([65, 66]), 1, 2);
  expect(out.since(0).toString()).toBe("aab!B");
});
