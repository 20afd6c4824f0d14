import { describe, expect, it } from "vitest";
import { RowBytes, type ValueForm } from "../src/source/row-bytes.ts";

/** A row as the server sends it. */
function packet(...values: readonly (string | Buffer | null)[]): Buffer {
  const parts = values.map((value) => {
    if (value === null) return Buffer.from([0xfb]);
    const bytes = Buffer.from(value as string);
    const length = bytes.length;
    if (length < 251) return Buffer.concat([Buffer.from([length]), bytes]);
    if (length < 65_536) return Buffer.concat([Buffer.from([0xfc, length & 255, length >> 8]), bytes]);
    return Buffer.concat([Buffer.from([0xfd, length & 255, (length >> 8) & 255, length >> 16]), bytes]);
  });
  return Buffer.concat(parts);
}

function line(form: ValueForm, value: string | Buffer | null): string {
  const rows = new RowBytes(["a"], [form]);
  const bytes = packet(value);
  rows.row(bytes, 0, bytes.length);
  const { bytes: out, starts, ends } = rows.slab();
  return out.toString("utf8", starts[0], ends[0]);
}

describe("a value of a row", () => {
  it.each(["", "plain", "é ✓ 🚀", 'quote " back \\ slash', "\u0000\u0001\b\t\n\u000b\f\r\u001f\u007f\u2028"])(
    "that is a text is written as JSON.stringify writes it: %j",
    (text) => {
      expect(line("text", text)).toBe(`{"a":${JSON.stringify(text)}}`);
    },
  );

  it("of every form", () => {
    expect(line("digits", "18446744073709551615")).toBe('{"a":18446744073709551615}');
    expect(line("plain", "0000-00-00")).toBe('{"a":"0000-00-00"}');
    expect(line("hex", Buffer.from([0, 255, 39]))).toBe('{"a":"00ff27"}');
    expect(line("characters", Buffer.from([1, 255, 34]))).toBe('{"a":"\\u0001ÿ\\""}');
    expect(line("real", "100")).toBe('{"a":100.0}');
    expect(line("real", "1e300")).toBe('{"a":1e+300}');
    for (const form of ["digits", "plain", "text", "hex", "characters", "real"] as const)
      expect(line(form, null)).toBe('{"a":null}');
  });

  it.each([250, 251, 300, 65_535, 65_536, 200_000])("may be %i bytes long", (length) => {
    expect(line("text", "x".repeat(length))).toBe(`{"a":"${"x".repeat(length)}"}`);
    expect(line("text", "\n".repeat(length))).toBe(`{"a":"${"\\n".repeat(length)}"}`);
  });
});

it("rows lie one behind the other, with a line break between them", () => {
  const rows = new RowBytes(["id", 'odd "name'], ["digits", "text"]);
  for (const bytes of [packet("1", "a"), packet("2", null)]) {
    // Behind something else, as in a packet of the wire.
    rows.row(Buffer.concat([Buffer.from("head"), bytes]), 4, 4 + bytes.length);
  }
  const { bytes, starts, ends, terminator } = rows.slab();
  expect(bytes.toString()).toBe('{"id":1,"odd \\"name":"a"}\n{"id":2,"odd \\"name":null}\n');
  expect([[...starts], [...ends]]).toEqual([
    [0, 26],
    [25, 52],
  ]);
  expect(terminator).toEqual(Buffer.from("\n"));
});
