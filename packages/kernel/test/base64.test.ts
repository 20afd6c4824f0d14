import { describe, expect, it } from "vitest";
import { encodeBase64 } from "../src/json-strings.ts";
import { ENGINES } from "./drive.ts";

/** Every byte in every place of three. */
const bytes = Buffer.from(Array.from({ length: 1024 }, (_, i) => (i * 7 + (i >> 8) * 3) & 255));

describe.each(ENGINES)("base64 (%s)", (engine) => {
  it("is that of Buffer, at every length and place", () => {
    const starts: number[] = [];
    const ends: number[] = [];
    for (let length = 0; length < 200; length++) {
      starts.push(length * 3);
      ends.push(length * 4);
    }
    const ranges = { bytes, starts: Uint32Array.from(starts), ends: Uint32Array.from(ends), count: starts.length };
    const result = encodeBase64(ranges, { engine });
    expect(result.refused).toEqual([]);
    expect(Array.from(result.starts, (start, i) => result.bytes.toString("latin1", start, result.ends[i]))).toEqual(
      starts.map((start, i) => bytes.toString("base64", start, ends[i])),
    );
  });

  it("knows every digit", () => {
    const all = Buffer.from(
      Array.from({ length: 64 }, (_, i) => i).flatMap((i) => [i << 2, i >> 4, (i << 4) & 255, i]),
    );
    const ranges = { bytes: all, starts: Uint32Array.of(0), ends: Uint32Array.of(all.length), count: 1 };
    expect(encodeBase64(ranges, { engine }).bytes.toString()).toBe(all.toString("base64"));
    expect(new Set(all.toString("base64")).size).toBeGreaterThanOrEqual(64);
  });

  it("has what was asked for around it, also where a range is larger than the kernel's memory", () => {
    const large = Buffer.alloc(5_000_000, "binary \xff", "latin1");
    const ranges = {
      bytes: large,
      starts: Uint32Array.of(0, 0, 7),
      ends: Uint32Array.of(3, large.length, 8),
      count: 3,
    };
    const before = Buffer.from("<");
    const after = Buffer.from(">");
    const got = encodeBase64(ranges, { engine, before, after }).bytes.toString();
    expect(got === `<Ymlu><${large.toString("base64")}></w==>`).toBe(true);
  });
});
