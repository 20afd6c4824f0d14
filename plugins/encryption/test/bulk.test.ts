import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Bulk, SMALL } from "../src/cipher/bulk.ts";
import { type CipherName, Key } from "../src/cipher/key.ts";
import { BOUND_MAX, IN } from "../src/cipher/layout.ts";
import { headerOf, nonceBytes } from "../src/envelope.ts";
import { CIPHERS } from "./sealing.ts";

const bulk = Bulk.make()!;
const NOTHING = Buffer.alloc(0);

/** Bytes that look random and are the same in every run. */
function bytes(seed: string, length: number): Buffer {
  const pieces: Buffer[] = [];
  for (let i = 0; i * 32 < length; i++) pieces.push(createHash("sha256").update(`${seed} ${i}`).digest());
  return Buffer.concat(pieces).subarray(0, length);
}

/** What node:crypto makes of it. */
function expected(
  cipher: CipherName,
  key: Key,
  header: Buffer,
  nonce: Buffer,
  payload: Uint8Array,
  bound?: Buffer,
): Buffer {
  const envelope = Buffer.alloc(header.length + nonce.length + payload.length + 16);
  header.copy(envelope);
  nonce.copy(envelope, header.length);
  const additional = bound ? Buffer.concat([header, nonce, bound]) : NOTHING;
  key.cipher(cipher).seal(nonce, additional, payload, envelope, header.length + nonce.length);
  return envelope;
}

function sealed(
  cipher: CipherName,
  key: Key,
  header: Buffer,
  nonce: Buffer,
  payload: Uint8Array,
  bound?: Buffer,
): Buffer {
  bulk.clear();
  const start = bulk.load(payload);
  bulk.add(start, start + payload.length, 0, 0);
  if (bound) {
    const from = bulk.load(bound);
    bulk.bind(0, from, from + bound.length);
  }
  return Buffer.from(bulk.seal(cipher, key, header, Buffer.from(nonce), bound !== undefined));
}

function opened(
  cipher: CipherName,
  key: Key,
  header: Buffer,
  envelope: Uint8Array,
  bound?: Buffer,
): Buffer | undefined {
  bulk.clear();
  const start = bulk.load(envelope);
  bulk.add(start, start + envelope.length, start + header.length, 0);
  if (bound) {
    const from = bulk.load(bound);
    bulk.bind(0, from, from + bound.length);
  }
  const out = bulk.open(cipher, key, bound !== undefined);
  return bulk.opened(0) < 0 ? undefined : Buffer.from(out);
}

const LENGTHS = [...Array.from({ length: 600 }, (_, i) => i), 1023, 1024, 2047, 2048, 4095, 4096, 4097, 8191, 8192];

describe.each(CIPHERS)("the loops in WebAssembly, with %s", (cipher) => {
  const nonceSize = nonceBytes(cipher);

  it("make what node:crypto makes, at every length", () => {
    for (const length of LENGTHS.filter((one) => one <= SMALL[cipher])) {
      const key = new Key("k", bytes(`key ${length}`, 32));
      const header = headerOf(1, cipher, bytes("id", (length % 255) + 1));
      const nonce = bytes(`nonce ${length}`, nonceSize);
      const payload = bytes(`payload ${length}`, length);
      const envelope = expected(cipher, key, header, nonce, payload);
      expect(sealed(cipher, key, header, nonce, payload).equals(envelope), `${length} bytes`).toBe(true);
      expect(opened(cipher, key, header, envelope)?.equals(payload), `${length} bytes`).toBe(true);
    }
  });

  it("bind what node:crypto binds, at every length of it", () => {
    for (let length = 0; length < 300; length++) {
      const key = new Key("k", bytes(`key ${length}`, 32));
      const header = headerOf(2, cipher, Buffer.from("some id"));
      const nonce = bytes(`nonce ${length}`, nonceSize);
      const payload = bytes("payload", length % 70);
      const bound = bytes("bound", length);
      const envelope = expected(cipher, key, header, nonce, payload, bound);
      expect(sealed(cipher, key, header, nonce, payload, bound).equals(envelope), `${length} bytes`).toBe(true);
      expect(opened(cipher, key, header, envelope, bound)?.equals(payload), `${length} bytes`).toBe(true);
      if (length > 0) expect(opened(cipher, key, header, envelope, bound.subarray(1))).toBeUndefined();
    }
  });

  it("make of many messages of any lengths, each with what it binds, what they make of one", () => {
    for (let round = 0; round < 42; round++) {
      const count = [1, 2, 15, 16, 17, 33, 40][round % 7]!;
      const key = new Key("k", bytes(`key ${round}`, 32));
      const header = headerOf(2, cipher, bytes("id", 1 + ((round * 37) % 255)));
      const random = bytes(`lengths ${round}`, count * 2);
      const messages = Array.from({ length: count }, (_, i) => ({
        payload: bytes(`payload ${round} ${i}`, i % 16 === 5 ? SMALL[cipher] : random[2 * i]! * (i % 3)),
        bound: bytes(`bound ${i}`, i % 16 === 5 ? Math.min(BOUND_MAX[cipher], 4000) : random[2 * i + 1]! * (i % 2)),
      }));
      bulk.clear();
      messages.forEach(({ payload, bound }, number) => {
        const start = bulk.load(payload);
        bulk.add(start, start + payload.length, 0, 0);
        const from = bulk.load(bound);
        bulk.bind(number, from, from + bound.length);
      });
      const nonce = Buffer.alloc(nonceSize);
      const all = Buffer.from(bulk.seal(cipher, key, header, Buffer.from(nonce), true));
      const envelopes = messages.map(({ payload, bound }, number) => {
        nonce[nonceSize - 1] = number;
        return expected(cipher, key, header, nonce, payload, bound);
      });
      expect(all.equals(Buffer.concat(envelopes)), `round ${round}`).toBe(true);
      bulk.clear();
      envelopes.forEach((envelope, number) => {
        const changed = Buffer.from(envelope);
        if (number % 7 === 3) changed[changed.length - 1]! ^= 1;
        const start = bulk.load(changed);
        bulk.add(start, start + changed.length, start + header.length, 0);
        const from = bulk.load(messages[number]!.bound);
        bulk.bind(number, from, from + messages[number]!.bound.length);
      });
      const whole = messages.flatMap(({ payload }, number) => (number % 7 === 3 ? [] : [payload]));
      expect(bulk.open(cipher, key, true).equals(Buffer.concat(whole)), `round ${round}`).toBe(true);
      expect(messages.filter((_, number) => bulk.opened(number) < 0).length).toBe(Math.floor((count + 3) / 7));
    }
  });

  it("write nothing of an envelope that is not authentic, and go on with the next", () => {
    const key = new Key("k", bytes("key", 32));
    const header = headerOf(1, cipher, Buffer.from("k"));
    const payloads = ["first", "second", "third"].map((text) => Buffer.from(text));
    bulk.clear();
    payloads.forEach((payload, index) => {
      const envelope = expected(cipher, key, header, bytes(`nonce ${index}`, nonceSize), payload);
      if (index === 1) envelope[envelope.length - 20]! ^= 1;
      const start = bulk.load(envelope);
      bulk.add(start, start + envelope.length, start + header.length, 0);
    });
    expect(bulk.open(cipher, key, false).toString()).toBe("firstthird");
    expect([0, 1, 2].map((number) => bulk.opened(number))).toEqual([0, -1, 5]);
  });

  it.each(["the last byte", "some bytes", "every byte"])("count the nonce up over %s", (over) => {
    const carries = { "the last byte": 1, "some bytes": 9, "every byte": nonceSize }[over]!;
    const start = `${"07".repeat(nonceSize - carries)}${"ff".repeat(carries)}`;
    const plus = (n: bigint): Buffer => {
      const sum = (BigInt(`0x${start}`) + n) % 2n ** BigInt(8 * nonceSize);
      return Buffer.from(sum.toString(16).padStart(2 * nonceSize, "0"), "hex");
    };
    const key = new Key("k", bytes("key", 32));
    const header = headerOf(1, cipher, Buffer.from("k"));
    const same = Buffer.from("same");
    bulk.clear();
    for (let i = 0; i < 2; i++) {
      const at = bulk.load(same);
      bulk.add(at, at + same.length, 0, 0);
    }
    const nonce = plus(0n);
    expect(Buffer.from(bulk.seal(cipher, key, header, nonce, false))).toEqual(
      Buffer.concat([expected(cipher, key, header, plus(0n), same), expected(cipher, key, header, plus(1n), same)]),
    );
    expect(nonce).toEqual(plus(2n));
  });

  it("take another key after one", () => {
    const header = headerOf(1, cipher, Buffer.from("k"));
    const nonce = bytes("nonce", nonceSize);
    for (const seed of ["one", "two", "one"]) {
      const key = new Key("k", bytes(seed, 32));
      expect(sealed(cipher, key, header, nonce, Buffer.from("x"))).toEqual(
        expected(cipher, key, header, nonce, Buffer.from("x")),
      );
    }
  });

  it("hold as much as is said to fit", () => {
    const key = new Key("k", bytes("key", 32));
    const header = headerOf(1, cipher, Buffer.from("k"));
    const payload = bytes("payload", 127);
    bulk.clear();
    while (bulk.fits(127, 127)) {
      const at = bulk.load(payload);
      bulk.add(at, at + 127, 0, 127 + header.length + nonceSize + 16);
    }
    const envelopes = Buffer.from(bulk.seal(cipher, key, header, bytes("nonce", nonceSize), false));
    expect(envelopes.length / (127 + header.length + nonceSize + 16)).toBeGreaterThan(2000);
    const last = envelopes.subarray(-(127 + header.length + nonceSize + 16));
    const nonce = last.subarray(header.length, header.length + nonceSize);
    expect(last).toEqual(expected(cipher, key, header, nonce, payload));
  });

  it("say when nothing more fits", () => {
    bulk.clear();
    expect(bulk.fits(16_384, 16_384)).toBe(true);
    expect(bulk.fits(300_000, 1)).toBe(false);
    expect(bulk.fits(1, 600_000)).toBe(false);
    for (let i = 0; i < 2048; i++) bulk.add(IN, IN, IN, 0);
    expect(bulk.fits(0, 0)).toBe(false);
    bulk.clear();
    expect(bulk.fits(0, 0)).toBe(true);
  });
});

const P = 2n ** 130n - 5n;
const number = (little: Uint8Array) => BigInt(`0x${Buffer.from(little).reverse().toString("hex")}`);

/**
 * Ciphertexts for which Poly1305 ends at a given number, chosen by solving its equation: carries and the last reduction at
 * the edges, where a random test never gets.
 */
describe("Poly1305 at its edges", () => {
  const cipher = "xchacha20poly1305";
  const edges = [
    0n,
    1n,
    4n,
    5n,
    6n,
    2n ** 26n - 1n,
    2n ** 104n - 1n,
    2n ** 128n - 1n,
    2n ** 128n,
    2n ** 129n,
    P - 6n,
    P - 5n,
    P - 2n,
    P - 1n,
  ];

  it.each(edges.map((edge) => [edge.toString(16), edge] as const))("%s", (_, target) => {
    const header = headerOf(1, cipher, Buffer.from("k"));
    const key = new Key("k", bytes(`key ${target}`, 32));
    const nonce = bytes(`nonce ${target}`, 24);
    const r = polyKey(key, nonce);
    const inverse = power(r, P - 2n);
    const lengths = 32n * 2n ** 64n;
    for (let attempt = 0; ; attempt++) {
      const first = bytes(`first ${attempt}`, 16);
      const before = (((number(first) + 2n ** 128n) * r) % P) + 2n ** 128n;
      const inner = target * inverse - lengths - 2n ** 128n;
      const second = (((inner * inverse - before) % P) + P) % P;
      if (second >= 2n ** 128n) continue;
      const ciphertext = Buffer.concat([first, Buffer.from(second.toString(16).padStart(32, "0"), "hex").reverse()]);
      // Enciphering zeros gives the key stream.
      const stream = expected(cipher, key, header, nonce, Buffer.alloc(32)).subarray(header.length + 24, -16);
      const payload = Buffer.from(ciphertext.map((byte, i) => byte ^ stream[i]!));
      const envelope = expected(cipher, key, header, nonce, payload);
      expect(envelope.subarray(header.length + 24, -16)).toEqual(ciphertext);
      expect(sealed(cipher, key, header, nonce, payload)).toEqual(envelope);
      expect(opened(cipher, key, header, envelope)).toEqual(payload);
      return;
    }
  });

  /** The number that Poly1305 multiplies with; found from the tags of payloads whose ciphertexts are known. */
  function polyKey(key: Key, nonce: Buffer): bigint {
    bulk.clear();
    sealed(cipher, key, headerOf(1, cipher, Buffer.from("k")), nonce, NOTHING);
    // The loops leave the first block of the key stream where they made it.
    const clamp = 0x0ffffffc0ffffffc0ffffffc0fffffffn;
    return number(bulk.memory.subarray(256, 272)) & clamp;
  }

  function power(base: bigint, exponent: bigint): bigint {
    let result = 1n;
    for (let e = exponent, b = base % P; e > 0n; e >>= 1n, b = (b * b) % P) if (e & 1n) result = (result * b) % P;
    return result;
  }
});
