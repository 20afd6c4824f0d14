import { describe, expect, it } from "vitest";
import { decodeBase64, encodeBase64 } from "../src/json-strings.ts";
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

/** What one text stands for; undefined when it is refused. */
function decoded(text: string | Buffer, engine: (typeof ENGINES)[number]): Buffer | undefined {
  const inner = Buffer.from(text as string);
  // What stands around it must not count.
  const ranges = {
    bytes: Buffer.concat([Buffer.from("QUJD"), inner, Buffer.from("QUJD====")]),
    starts: Uint32Array.of(4),
    ends: Uint32Array.of(4 + inner.length),
    count: 1,
  };
  const { bytes: found, refused, starts, ends } = decodeBase64(ranges, { engine });
  return refused.length > 0 ? undefined : Buffer.from(found.subarray(starts[0], ends[0]));
}

describe.each(ENGINES)("what base64 stands for (%s)", (engine) => {
  it("is what Buffer makes of it, at every length and place", () => {
    for (let length = 0; length < 200; length++) {
      const one = bytes.subarray(length * 3, length * 4);
      expect(decoded(one.toString("base64"), engine)?.equals(one), `${length} bytes`).toBe(true);
    }
  });

  it("is refused with any other character, in every place", () => {
    for (const size of [3, 9, 12, 15, 24, 25, 26, 48]) {
      const text = bytes.subarray(0, size).toString("base64");
      for (let place = 0; place < text.length; place++) {
        for (let byte = 0; byte < 256; byte++) {
          const changed = Buffer.from(text);
          changed[place] = byte;
          const wanted = Buffer.from(changed.toString("latin1"), "base64");
          const isOnly = wanted.toString("base64") === changed.toString("latin1");
          const got = decoded(changed, engine);
          if (isOnly !== (got !== undefined) || (got && !got.equals(wanted)))
            expect.fail(`byte ${byte} in place ${place} of ${size}: ${got?.toString("hex")}`);
        }
      }
    }
  });

  it.each(["A", "AA", "AAA", "=", "==", "====", "A===", "AB==", "AAB=", "AA==AAAA", "AAA=AAAA", "AAAA====", "AA=A"])(
    "is refused in another spelling than the one: %s",
    (text) => expect(decoded(text, engine)).toBeUndefined(),
  );

  it("goes on behind what is refused, also where a range is larger than the kernel's memory", () => {
    const large = bytes.toString("base64").repeat(6000).replaceAll("=", "A");
    const texts = ["YQ==", "Y", "", large, "Yg=="];
    const all = Buffer.from(texts.join(""));
    const ends = Uint32Array.from(texts.map((_, i) => texts.slice(0, i + 1).join("").length));
    const starts = Uint32Array.from([0, ...ends.subarray(0, -1)]);
    const result = decodeBase64({ bytes: all, starts, ends, count: texts.length }, { engine });
    expect(result.refused).toEqual([1]);
    const wanted = Buffer.concat([Buffer.from("a"), Buffer.from(large, "base64"), Buffer.from("b")]);
    expect(result.bytes.equals(wanted)).toBe(true);
    expect([result.starts[4], result.ends[4]]).toEqual([wanted.length - 1, wanted.length]);
  });
});
