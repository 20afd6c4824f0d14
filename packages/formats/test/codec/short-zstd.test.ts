import zstd from "@foxglove/wasm-zstd";
import { expect, it } from "vitest";
import { SHORT_MAX, ShortZstdEncoder, surveyOf } from "../../src/codec/short-zstd/encoder.ts";
import { GrowingBuffer } from "../../src/index.ts";

await zstd.isLoaded;

/** Frames of the payloads, which are compressed as one batch. */
function frames(payloads: readonly Buffer[]): Buffer[] {
  const starts = new Uint32Array(payloads.length);
  const ends = new Uint32Array(payloads.length);
  let at = 0;
  payloads.forEach((payload, i) => {
    starts[i] = at;
    ends[i] = at += payload.length;
  });
  const bytes = Buffer.concat([...payloads]);
  const survey = surveyOf({ bytes, starts, ends, count: payloads.length });
  const encoder = new ShortZstdEncoder();
  return payloads.map((_, i) => {
    const out = new GrowingBuffer(0);
    encoder.compress(bytes, starts[i]!, ends[i]!, survey, out);
    return Buffer.from(out.written());
  });
}

/** A generator of numbers below a limit that gives the same ones in every run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

type Make = (next: (limit: number) => number, length: number) => Buffer;

const KINDS: Readonly<Record<string, Make>> = {
  noise: (next, length) => Buffer.from(Array.from({ length }, () => next(256))),
  "few letters": (next, length) => Buffer.from(Array.from({ length }, () => 97 + next(3))),
  "skewed letters": (next, length) =>
    Buffer.from(Array.from({ length }, () => Math.floor(256 * (next(1000) / 1000) ** 9))),
  "one letter": (_, length) => Buffer.alloc(length, "a"),
  "high bytes": (next, length) => Buffer.from(Array.from({ length }, () => 200 + next(20))),
  periods: (next, length) => {
    const period = 1 + next(40);
    return Buffer.from(Array.from({ length }, (_, i) => (i * 7) % period));
  },
  rows: (next, length) => {
    let text = "";
    while (text.length < length)
      text += `{"id":${next(1e6)},"name":"n${next(50)}","status":"${["open", "paid"][next(2)]}"},`;
    return Buffer.from(text.slice(0, length));
  },
  "copies at a distance": (next, length) => {
    const bytes = Buffer.from(Array.from({ length }, () => next(256)));
    for (let i = 0; i < 20; i++) bytes.copy(bytes, next(length), next(length), next(length));
    return bytes;
  },
};

it.each(Object.entries(KINDS))("frames of %s are read by the decoder of zstd, at every length", (_, make) => {
  const next = numbers(7);
  for (let batch = 0; batch < 6; batch++) {
    const payloads = Array.from({ length: 100 }, (_, i) => make(next, batch === 0 ? i : next(SHORT_MAX + 1)));
    for (const [i, frame] of frames(payloads).entries()) {
      const { length } = payloads[i]!;
      const content = length === 0 ? Buffer.alloc(0) : zstd.decompress(frame, length);
      expect(content.equals(payloads[i]!), `batch ${batch}, payload ${i} of ${length} bytes`).toBe(true);
      expect(frame.length).toBeLessThanOrEqual(length + 10);
    }
  }
});

it("a payload is read whatever others are in its batch", () => {
  const next = numbers(3);
  const mixed = Object.values(KINDS).flatMap((make) =>
    Array.from({ length: 30 }, () => make(next, next(SHORT_MAX + 1))),
  );
  for (const [i, frame] of frames(mixed).entries()) {
    const { length } = mixed[i]!;
    if (length > 0) expect(zstd.decompress(frame, length).equals(mixed[i]!)).toBe(true);
  }
});

it("a payload with letters that the others of a large batch do not have is read, too", () => {
  const plain = Array.from({ length: 1000 }, () => Buffer.from("only a few letters".repeat(8)));
  const rare = plain.map((payload, i) => (i % 7 === 3 ? Buffer.from(`${"ÄÖÜ 漢字 ".repeat(10)}${i}`) : payload));
  for (const [i, frame] of frames(rare).entries())
    expect(zstd.decompress(frame, rare[i]!.length).equals(rare[i]!)).toBe(true);
});

it("repetitions are found again in the next batch, after one without any", () => {
  const next = numbers(11);
  const noise = Array.from({ length: 200 }, () => KINDS["skewed letters"]!(next, 200));
  const repeats = Array.from({ length: 200 }, () =>
    Buffer.from(`${KINDS["noise"]!(next, 20).toString("hex")} `.repeat(8)),
  );
  expect(frames(repeats).every((frame) => frame.length < 100)).toBe(true);
  const mixed = frames([...noise, ...repeats]);
  for (const [i, payload] of [...noise, ...repeats].entries())
    expect(zstd.decompress(mixed[i]!, payload.length).equals(payload)).toBe(true);
});

it("rows become as short as zstd makes them, or nearly", () => {
  const next = numbers(5);
  for (const length of [100, 200, 500]) {
    const payloads = Array.from({ length: 200 }, () => KINDS["rows"]!(next, length));
    const ours = frames(payloads).reduce((sum, frame) => sum + frame.length, 0);
    const theirs = payloads.reduce((sum, payload) => sum + zstd.compress(payload, 3).length, 0);
    expect(ours / theirs).toBeLessThan(1.15);
  }
});
