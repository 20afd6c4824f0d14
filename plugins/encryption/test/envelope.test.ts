import { describe, expect, it } from "vitest";
import {
  bulk,
  CIPHERS,
  KEY,
  linesOf,
  listOf,
  type Options,
  OTHER_KEY,
  opener,
  openOne,
  payloads,
  sealer,
  sealOne,
  texts,
} from "./sealing.ts";

const SIZES = [0, 1, 15, 16, 17, 191, 192, 193, 4000, 16_384, 16_385, 70_000];
const contents = SIZES.map((size, i) => Buffer.alloc(size, `${i} ä\n`));

describe.each(CIPHERS)("an envelope of %s", (cipher) => {
  it.each([
    ["a slab", linesOf],
    ["a list", listOf],
  ])("is opened to what was sealed, out of %s", (_, batchOf) => {
    for (const by of [bulk, undefined]) {
      const batch = sealer({ cipher }, by).seal(batchOf(contents)).batch;
      for (const reader of [bulk, undefined]) {
        const { batch: back, kept, failure } = opener({ cipher }, reader).open(batch);
        expect(failure).toBeUndefined();
        expect(kept).toBeUndefined();
        expect(payloads(back).map((payload, index) => payload.equals(contents[index]!))).toEqual(SIZES.map(() => true));
      }
    }
  });

  it("has version, cipher, key id, nonce, ciphertext and tag", () => {
    const envelope = sealOne("text", { cipher, key_id: "k1" });
    const nonce = cipher === "aes256gcm" ? 12 : 24;
    expect([...envelope.subarray(0, 5)]).toEqual([1, CIPHERS.indexOf(cipher), 2, 0x6b, 0x31]);
    expect(envelope.length).toBe(5 + nonce + 4 + 16);
  });

  it("never has a nonce twice, over batches and openings", () => {
    const nonceOf = (envelope: Buffer): string =>
      envelope.subarray(10, cipher === "aes256gcm" ? 22 : 34).toString("hex");
    const one = sealer({ cipher });
    // Large ones go another way.
    const many = Array.from({ length: 3000 }, (_, i) => (i % 700 === 0 ? "x".repeat(20_000) : "x"));
    const sealed = [one.seal(listOf(many)), one.seal(linesOf(many)), sealer({ cipher }).seal(listOf(many))].map(
      ({ batch }) => batch,
    );
    const nonces = sealed.flatMap(payloads).map(nonceOf);
    expect(new Set(nonces).size).toBe(9000);
  });

  it("keeps ids and metadata of the message, and its place", () => {
    const batch = listOf(["a", "b"], new Map([["k", "v"]]));
    const sealed = sealer({ cipher }).seal(batch).batch;
    expect(sealed.id(1)).toBe(batch.id(1));
    const { batch: back } = opener({ cipher }).open(sealed);
    expect([back.id(0), back.id(1)]).toEqual([batch.id(0), batch.id(1)]);
    expect(back.metadata(1).get("k")).toBe("v");
    expect(back.at(1).text()).toBe("b");
  });
});

describe("rotation of keys", () => {
  it.each(CIPHERS)("reads what older keys of %s have written, each by its name, in one batch", (cipher) => {
    const old = { cipher, key: OTHER_KEY, key_id: "2023" };
    const now: Options = { cipher, key: KEY, key_id: "2024", decrypt_keys: { "2023": OTHER_KEY } };
    const envelopes = ["a", "b", "c", "d"].map((text, i) => sealOne(text, i % 2 ? old : now));
    for (const by of [bulk, undefined])
      expect(texts(opener(now, by).open(listOf(envelopes)).batch)).toEqual(["a", "b", "c", "d"]);
  });

  it("reads both ciphers, whichever the own one is", () => {
    const envelopes = CIPHERS.map((cipher) => sealOne(cipher, { cipher }));
    for (const cipher of CIPHERS)
      expect(texts(opener({ cipher }).open(linesOf(envelopes)).batch)).toEqual([...CIPHERS]);
  });

  it("takes the own key where decrypt_keys has another one of its name", () => {
    const options = { key_id: "k", decrypt_keys: { k: OTHER_KEY } };
    expect(texts(openOne(sealOne("x", { key_id: "k" }), options).batch)).toEqual(["x"]);
  });
});
