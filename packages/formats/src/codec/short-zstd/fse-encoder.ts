import type { BitWriter } from "./bit-writer.ts";

/**
 * Encodes symbols by finite state entropy, as RFC 8878 (4.1) decodes them: from the last symbol to the first. Made for one
 * distribution, whose probabilities sum to `2 ** tableLog`; -1 stands for less than one.
 */
export class FseEncoder {
  readonly tableLog: number;
  private readonly table: Uint16Array;
  private readonly deltaBits: Int32Array;
  private readonly deltaState: Int32Array;

  constructor(probabilities: ArrayLike<number>, tableLog: number) {
    const size = 1 << tableLog;
    const count = probabilities.length;
    this.tableLog = tableLog;
    this.table = new Uint16Array(size);
    this.deltaBits = new Int32Array(count);
    this.deltaState = new Int32Array(count);
    const next = new Int32Array(count);
    let total = 0;
    for (let symbol = 0; symbol < count; symbol++) {
      const probability = Math.abs(probabilities[symbol]!);
      next[symbol] = total;
      if (probability === 1) {
        this.deltaBits[symbol] = (tableLog << 16) - size;
        this.deltaState[symbol] = total - 1;
      } else if (probability > 1) {
        const bits = tableLog - (31 - Math.clz32(probability - 1));
        this.deltaBits[symbol] = (bits << 16) - (probability << bits);
        this.deltaState[symbol] = total - probability;
      }
      total += probability;
    }
    const spread = spreadSymbols(probabilities, size);
    for (let at = 0; at < size; at++) {
      const symbol = spread[at]!;
      this.table[next[symbol]!] = size + at;
      next[symbol]! += 1;
    }
  }

  /** The state that the last symbol is encoded by. */
  begin(symbol: number): number {
    const delta = this.deltaBits[symbol]!;
    const bits = (delta + (1 << 15)) >> 16;
    const value = (bits << 16) - delta;
    return this.table[(value >> bits) + this.deltaState[symbol]!]!;
  }

  /** Writes what leads from the state of a symbol to that of the one behind it. Returns the new state. */
  encode(state: number, symbol: number, out: BitWriter): number {
    const bits = (state + this.deltaBits[symbol]!) >> 16;
    out.add(state & ((1 << bits) - 1), bits);
    return this.table[(state >> bits) + this.deltaState[symbol]!]!;
  }

  /** Writes the state that decoding begins with. */
  end(state: number, out: BitWriter): void {
    out.add(state & ((1 << this.tableLog) - 1), this.tableLog);
  }
}

/** Which symbol each state stands for. */
function spreadSymbols(probabilities: ArrayLike<number>, size: number): Uint8Array {
  const symbols = new Uint8Array(size);
  const step = (size >> 1) + (size >> 3) + 3;
  let high = size - 1;
  for (let symbol = 0; symbol < probabilities.length; symbol++) {
    if (probabilities[symbol]! < 0) symbols[high--] = symbol;
  }
  let at = 0;
  for (let symbol = 0; symbol < probabilities.length; symbol++) {
    for (let i = 0; i < probabilities[symbol]!; i++) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1);
      while (at > high);
    }
  }
  return symbols;
}

/** Writes a distribution (without -1) as a table of RFC 8878 (4.1.1) begins with. Returns the end. */
export function writeDistribution(probabilities: ArrayLike<number>, tableLog: number, out: BitWriter): number {
  let remaining = (1 << tableLog) + 1;
  let threshold = 1 << tableLog;
  let bits = tableLog + 1;
  out.add(tableLog - 5, 4);
  for (let symbol = 0, afterZero = false; symbol < probabilities.length && remaining > 1; ) {
    if (afterZero) {
      let zeros = 0;
      while (probabilities[symbol] === 0) {
        zeros++;
        symbol++;
      }
      for (; zeros >= 3; zeros -= 3) out.add(3, 2);
      out.add(zeros, 2);
    }
    const probability = probabilities[symbol++]!;
    const spare = 2 * threshold - 1 - remaining;
    remaining -= probability;
    let value = probability + 1;
    if (value >= threshold) value += spare;
    out.add(value, value < spare ? bits - 1 : bits);
    afterZero = probability === 0;
    for (; remaining < threshold; threshold >>= 1) bits--;
  }
  return out.pad();
}
