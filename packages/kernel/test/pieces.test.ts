import { describe, expect, it } from "vitest";
import { Pieces } from "../src/pieces.ts";
import { Random } from "./fuzz/random.ts";

const allocate = (size: number): Buffer => Buffer.alloc(size);
const source = Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 251));
const FIRST = Buffer.from('{"first":');
const NEXT = Buffer.from(',"next":');

function joined(engine: "simd" | "js", write: (pieces: Pieces) => void, from: Uint8Array = source): Buffer {
  const pieces = new Pieces(engine);
  pieces.begin(from);
  write(pieces);
  return pieces.join(allocate);
}

describe.each(["simd", "js"] as const)("pieces put together (%s)", (engine) => {
  it("are what was appended, in order and at any length", () => {
    const expected: Buffer[] = [];
    const bytes = joined(engine, (pieces) => {
      for (let size = 0; size <= 100; size++) {
        pieces.constant(FIRST);
        pieces.copy(source, size, 2 * size);
        pieces.byte(44);
        pieces.ascii("abc");
        pieces.put(source.subarray(7, 7 + size));
        pieces.copy(Buffer.from(source), 1, 1 + size);
        const own = [source.subarray(size, 2 * size), Buffer.from(",abc"), source.subarray(7, 7 + size)];
        expected.push(FIRST, ...own, source.subarray(1, 1 + size));
      }
      expect(pieces.length).toBe(Buffer.concat(expected).length);
    });
    expect(bytes.equals(Buffer.concat(expected))).toBe(true);
  });

  it("can be taken back up to any length, within a piece too", () => {
    const whole = joined(engine, (pieces) => {
      pieces.byte(1);
      pieces.copy(source, 10, 60);
      pieces.constant(FIRST);
      pieces.ascii("text");
      pieces.copy(source, 3, 4);
    });
    for (let length = 0; length <= whole.length; length++) {
      const bytes = joined(engine, (pieces) => {
        pieces.byte(1);
        pieces.copy(source, 10, 60);
        pieces.constant(FIRST);
        pieces.ascii("text");
        pieces.copy(source, 3, 4);
        pieces.length = length;
        expect(pieces.length).toBe(length);
        pieces.ascii("behind");
        pieces.constant(NEXT);
      });
      expect(bytes.toString("latin1")).toBe(`${whole.toString("latin1", 0, length)}behind${NEXT.toString()}`);
    }
  });

  it("begin anew with the constants that are known, in another order too", () => {
    const pieces = new Pieces(engine);
    for (const order of [[FIRST, NEXT], [NEXT, FIRST, FIRST], [NEXT]]) {
      pieces.begin(source);
      for (const constant of order) {
        pieces.constant(constant);
        pieces.copy(source, 0, 3);
      }
      const expected = Buffer.concat(order.flatMap((constant) => [constant, source.subarray(0, 3)]));
      expect(pieces.join(allocate).equals(expected)).toBe(true);
    }
  });

  it("may have more constants than are kept", () => {
    const constants = Array.from({ length: 600 }, (_, i) => Buffer.from(`${i}`.repeat(20)));
    const bytes = joined(engine, (pieces) => {
      for (let round = 0; round < 2; round++)
        for (const constant of constants) {
          pieces.copy(source, 1, 2);
          pieces.constant(constant);
        }
    });
    const once = constants.map((constant) => `\u0001${constant.toString()}`).join("");
    expect(bytes.toString("latin1")).toBe(once + once);
  });

  it("may be more than the kernel has room for at once", () => {
    const large = Buffer.alloc(3 * 1024 * 1024, "0123456789");
    const expected: Buffer[] = [];
    const bytes = joined(
      engine,
      (pieces) => {
        const append = (from: number, size: number): void => {
          pieces.copy(large, from, from + size);
          pieces.put(large.subarray(from, from + size));
          pieces.constant(FIRST);
          expected.push(large.subarray(from, from + size), large.subarray(from, from + size), FIRST);
        };
        for (let i = 0; i < 20_000; i++) append((i * 131) % 3_000_000, i % 97);
        append(5, 2 * 1024 * 1024);
        append(2_000_000, 300_000);
        append(0, 10);
      },
      large,
    );
    expect(bytes.equals(Buffer.concat(expected))).toBe(true);
  });

  it("are the same for random ones", () => {
    const random = new Random(11);
    for (let round = 0; round < 300; round++) {
      let expected = Buffer.alloc(0);
      const bytes = joined(engine, (pieces) => {
        for (let step = random.below(40); step > 0; step--) {
          const [from, size] = [random.below(4000), random.below(90)];
          const piece = random.pick([FIRST, NEXT, source.subarray(from, from + size)]);
          const way = random.below(4);
          if (way === 0) pieces.length = random.below(pieces.length + 1);
          else if (piece === FIRST || piece === NEXT) pieces.constant(piece);
          else if (way === 1) pieces.copy(source, from, from + size);
          else pieces.put(piece);
          expected = way === 0 ? expected.subarray(0, pieces.length) : Buffer.concat([expected, piece]);
        }
      });
      expect(bytes.equals(expected)).toBe(true);
    }
  });
});
