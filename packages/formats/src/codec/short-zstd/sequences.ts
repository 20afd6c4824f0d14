import { BitWriter } from "./bit-writer.ts";
import { FseEncoder } from "./fse-encoder.ts";

/** A shorter repetition costs as much as it saves. */
export const LEAST_MATCH = 5;
/** What zstd takes from the length of a match before it writes it. */
const MATCH_BASE = 3;
const CAPACITY = 256;

// The distributions that every decoder has, RFC 8878 (3.1.1.3.2.2).
const LITERALS = [
  4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
];
const MATCHES = [
  1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
];
const OFFSETS = [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1];

/** Bits that follow the code of a length; before them come 16 or 32 codes for a single length each. */
const LITERAL_BITS = [
  ...new Array<number>(16).fill(0),
  1,
  1,
  1,
  1,
  2,
  2,
  3,
  3,
  4,
  6,
  7,
  8,
  9,
  10,
  11,
  12,
  13,
  14,
  15,
  16,
];
const MATCH_BITS = [
  ...new Array<number>(32).fill(0),
  1,
  1,
  1,
  1,
  2,
  2,
  3,
  3,
  4,
  4,
  5,
  7,
  8,
  9,
  10,
  11,
  12,
  13,
  14,
  15,
  16,
];
const LITERAL_CODES = codesBelow(1024, LITERAL_BITS);
const MATCH_CODES = codesBelow(1024, MATCH_BITS);

/** The sequences of one block: each is some literals, and a repetition of what lies some bytes before. */
export class SequenceWriter {
  private readonly literals = new Uint16Array(CAPACITY);
  private readonly matches = new Uint16Array(CAPACITY);
  private readonly offsets = new Uint16Array(CAPACITY);
  private readonly bits = new BitWriter(new Uint8Array(0));
  private readonly literalEncoder = new FseEncoder(LITERALS, 6);
  private readonly matchEncoder = new FseEncoder(MATCHES, 6);
  private readonly offsetEncoder = new FseEncoder(OFFSETS, 5);
  /** How many sequences there are. */
  count = 0;
  private lastOffset = 0;

  clear(): void {
    this.count = 0;
    // What every frame begins with.
    this.lastOffset = 1;
  }

  add(literals: number, length: number, offset: number): void {
    this.literals[this.count] = literals;
    this.matches[this.count] = length - MATCH_BASE;
    // 1 stands for the last offset, but not directly behind another repetition.
    this.offsets[this.count++] = literals > 0 && offset === this.lastOffset ? 1 : offset + 3;
    this.lastOffset = offset;
  }

  /** Returns the end of what was written. */
  write(into: Uint8Array, start: number): number {
    const { count, bits, literals, matches, offsets } = this;
    const { literalEncoder, matchEncoder, offsetEncoder } = this;
    let at = start;
    if (count < 128) into[at++] = count;
    else {
      into[at++] = 128 + (count >> 8);
      into[at++] = count & 255;
    }
    if (count === 0) return at;
    into[at++] = 0;
    bits.bytes = into;
    bits.start(at);
    let literalState = 0;
    let matchState = 0;
    let offsetState = 0;
    for (let i = count - 1; i >= 0; i--) {
      const literalCode = LITERAL_CODES[literals[i]!]!;
      const matchCode = MATCH_CODES[matches[i]!]!;
      const offsetCode = 31 - Math.clz32(offsets[i]!);
      if (i === count - 1) {
        matchState = matchEncoder.begin(matchCode);
        offsetState = offsetEncoder.begin(offsetCode);
        literalState = literalEncoder.begin(literalCode);
      } else {
        offsetState = offsetEncoder.encode(offsetState, offsetCode, bits);
        matchState = matchEncoder.encode(matchState, matchCode, bits);
        literalState = literalEncoder.encode(literalState, literalCode, bits);
      }
      addLow(bits, literals[i]!, LITERAL_BITS[literalCode]!);
      addLow(bits, matches[i]!, MATCH_BITS[matchCode]!);
      addLow(bits, offsets[i]!, offsetCode);
    }
    matchEncoder.end(matchState, bits);
    offsetEncoder.end(offsetState, bits);
    literalEncoder.end(literalState, bits);
    return bits.close();
  }
}

/** The least length of each code is a multiple of how many lengths it stands for, so the low bits tell them apart. */
function addLow(bits: BitWriter, value: number, count: number): void {
  if (count > 0) bits.add(value & ((1 << count) - 1), count);
}

/** The code of each length below `limit`. */
function codesBelow(limit: number, bits: readonly number[]): Uint8Array {
  const codes = new Uint8Array(limit);
  let length = 0;
  for (let code = 0; code < bits.length && length < limit; code++) {
    const next = length + (1 << bits[code]!);
    codes.fill(code, length, Math.min(next, limit));
    length = next;
  }
  return codes;
}
