import { expect, it } from "vitest";
import { KeyHash, Origin } from "../src/key/hash.ts";

const SEED = Uint8Array.from({ length: 16 }, (_, i) => i);

function hash(text: string | Uint8Array, seed = SEED, origin: number = Origin.text): string {
  const bytes = Buffer.from(text as string);
  const hashed = new KeyHash(seed);
  hashed.hash(bytes, 0, bytes.length, origin);
  return Buffer.from(hashed.words.buffer).toString("hex");
}

it("is HalfSipHash-2-4 of 64 bits, with the two halves of the seed", () => {
  // The reference's own vectors, for the key 00 01 .. 07 and the texts 00 01 .. of growing length.
  const vectors = [
    "218d1f59b9b83cc8",
    "be552412f8387315",
    "064f39ef7c50eb57",
    "ce0f1a45f7060679",
    "d5e78a175be52ea1",
    "cb9d7c3f2f3db580",
    "ce3e91358aa2bc25",
    "ff202728b07bc684",
  ];
  const found = vectors.map((_, length) => hash(Uint8Array.from({ length }, (_, i) => i)).slice(0, 16));
  expect(found).toEqual(vectors);
});

it("is another one for each seed, origin and text, whatever its length", () => {
  const texts = Array.from({ length: 300 }, (_, n) => "x".repeat(n));
  const seeds = [SEED, SEED.map((byte) => byte + 1)];
  const all = seeds.flatMap((seed) =>
    Object.values(Origin).flatMap((origin) => texts.map((text) => hash(text, seed, origin))),
  );
  expect(new Set(all).size).toBe(all.length);
});

it("depends on every bit of a text", () => {
  const text = Buffer.from("the quick brown fox");
  const hashes = new Set([hash(text)]);
  for (let bit = 0; bit < 8 * text.length; bit++) {
    const other = Buffer.from(text);
    other[bit >> 3]! ^= 1 << (bit & 7);
    hashes.add(hash(other));
  }
  expect(hashes.size).toBe(1 + 8 * text.length);
});

it("looks at its range only", () => {
  const hashed = new KeyHash(SEED);
  hashed.hash(Buffer.from("__key__"), 2, 5, Origin.text);
  const inside = [...hashed.words];
  hashed.hash(Buffer.from("key"), 0, 3, Origin.text);
  expect([...hashed.words]).toEqual(inside);
});
