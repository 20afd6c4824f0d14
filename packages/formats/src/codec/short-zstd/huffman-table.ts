import { BitWriter } from "./bit-writer.ts";
import { FseEncoder, writeDistribution } from "./fse-encoder.ts";

/** The longest code that zstd knows. */
const MAX_BITS = 11;
export const LENGTH_AT = 12;
export const CODE_MASK = (1 << LENGTH_AT) - 1;
const WEIGHTS_LOG = 6;
const DIRECT_MAX = 128;

/** A Huffman code for literals, with the description that stands before literals that are written in it. */
export interface HuffmanTable {
  /** The code of each symbol that has one, and from `LENGTH_AT` on how many bits it has. */
  readonly codes: Uint16Array;
  readonly description: Uint8Array;
}

/** A table for these counts of 256 symbols; undefined where there is none, such as for a single symbol. */
export function huffmanTable(counts: Uint32Array): HuffmanTable | undefined {
  const symbols = Array.from({ length: 256 }, (_, symbol) => symbol).filter((symbol) => counts[symbol]! > 0);
  if (symbols.length < 2) return undefined;
  symbols.sort((a, b) => counts[b]! - counts[a]! || a - b);
  const lengths = codeLengths(symbols, counts);
  const description = describe(lengths);
  return description && { codes: codesOf(lengths), description };
}

/** `symbols` by falling count. */
function codeLengths(symbols: readonly number[], counts: Uint32Array): Uint8Array {
  const count = symbols.length;
  // The two rarest nodes become one, again and again: leaves come in their order, and inner nodes in that of their making.
  const weight = new Float64Array(2 * count);
  const parent = new Int32Array(2 * count);
  symbols.forEach((symbol, i) => {
    weight[i] = counts[symbol]!;
  });
  let leaf = count - 1;
  let inner = count;
  const rarest = (made: number): number =>
    leaf >= 0 && (inner >= made || weight[leaf]! <= weight[inner]!) ? leaf-- : inner++;
  for (let made = count; made < 2 * count - 1; made++) {
    const [a, b] = [rarest(made), rarest(made)];
    weight[made] = weight[a]! + weight[b]!;
    parent[a] = parent[b] = made;
  }
  const depth = new Uint8Array(2 * count);
  for (let node = 2 * count - 3; node >= 0; node--) depth[node] = depth[parent[node]!]! + 1;
  const lengths = new Uint8Array(256);
  const limited = limitDepth(depth.subarray(0, count));
  symbols.forEach((symbol, i) => {
    lengths[symbol] = limited[i]!;
  });
  return lengths;
}

/** Depths of leaves by falling count, so rising; cut to what is allowed, and still those of a full tree. */
function limitDepth(depths: Uint8Array): Uint8Array {
  const unit = (depth: number): number => 1 << (MAX_BITS - depth);
  let taken = 0;
  for (let i = 0; i < depths.length; i++) {
    depths[i] = Math.min(depths[i]!, MAX_BITS);
    taken += unit(depths[i]!);
  }
  // Too many: the rarest of those that can go deeper do.
  for (let i = depths.length - 1; taken > 1 << MAX_BITS; ) {
    while (depths[i] === MAX_BITS) i--;
    taken -= unit(depths[i]!) / 2;
    depths[i]! += 1;
  }
  // Room that is left goes to the most frequent that can use it.
  for (let i = 0; taken < 1 << MAX_BITS; i = (i + 1) % depths.length) {
    if (depths[i]! > 1 && taken + unit(depths[i]!) <= 1 << MAX_BITS) {
      taken += unit(depths[i]!);
      depths[i]! -= 1;
    }
  }
  return depths;
}

/** Symbols of the same length have codes that follow one another; longer codes are lower. */
function codesOf(lengths: Uint8Array): Uint16Array {
  const codes = new Uint16Array(256);
  let next = 0;
  for (let bits = MAX_BITS; bits > 0; bits--) {
    for (let symbol = 0; symbol < 256; symbol++)
      if (lengths[symbol] === bits) codes[symbol] = next++ | (bits << LENGTH_AT);
    next >>= 1;
  }
  return codes;
}

function describe(lengths: Uint8Array): Uint8Array | undefined {
  let longest = 0;
  let last = 0;
  for (let symbol = 0; symbol < 256; symbol++) {
    if (lengths[symbol]! === 0) continue;
    longest = Math.max(longest, lengths[symbol]!);
    last = symbol;
  }
  // The weight of the last symbol follows from the others.
  const weights = Uint8Array.from({ length: last }, (_, symbol) =>
    lengths[symbol] === 0 ? 0 : longest + 1 - lengths[symbol]!,
  );
  return compressedWeights(weights) ?? directWeights(weights);
}

function directWeights(weights: Uint8Array): Uint8Array | undefined {
  if (weights.length > DIRECT_MAX) return undefined;
  const bytes = new Uint8Array(1 + ((weights.length + 1) >> 1));
  bytes[0] = 127 + weights.length;
  for (let i = 0; i < weights.length; i++) bytes[1 + (i >> 1)]! |= i % 2 === 0 ? weights[i]! << 4 : weights[i]!;
  return bytes;
}

/** Undefined where the weights cannot be written so, or not shorter. */
function compressedWeights(weights: Uint8Array): Uint8Array | undefined {
  if (weights.length < 4) return undefined;
  const probabilities = normalized(weights);
  if (!probabilities) return undefined;
  const out = new BitWriter(new Uint8Array(512));
  out.start(1);
  out.start(writeDistribution(probabilities, WEIGHTS_LOG, out));
  const encoder = new FseEncoder(probabilities, WEIGHTS_LOG);
  // Two states take turns, from the last weight to the first; the first of all belongs to the first state.
  const states = [0, 0];
  let at = weights.length - 1;
  for (let i = 0; i < 2; i++, at--) states[at & 1] = encoder.begin(weights[at]!);
  for (; at >= 0; at--) states[at & 1] = encoder.encode(states[at & 1]!, weights[at]!, out);
  encoder.end(states[1]!, out);
  encoder.end(states[0]!, out);
  const end = out.close();
  if (end - 1 >= 128) return undefined;
  if (weights.length <= DIRECT_MAX && end > 1 + ((weights.length + 1) >> 1)) return undefined;
  out.bytes[0] = end - 1;
  return out.bytes.slice(0, end);
}

/** How often each weight occurs, as probabilities that sum to `2 ** WEIGHTS_LOG`; undefined when one of them is all. */
function normalized(weights: Uint8Array): Int16Array | undefined {
  const counts = new Uint32Array(MAX_BITS + 2);
  let most = 0;
  for (const weight of weights) {
    counts[weight]! += 1;
    most = Math.max(most, weight);
  }
  const size = 1 << WEIGHTS_LOG;
  const probabilities = new Int16Array(most + 1);
  let sum = 0;
  let largest = 0;
  for (let weight = 0; weight <= most; weight++) {
    const count = counts[weight]!;
    if (count === weights.length) return undefined;
    probabilities[weight] = count === 0 ? 0 : Math.max(1, Math.round((count * size) / weights.length));
    sum += probabilities[weight]!;
    if (probabilities[weight]! > probabilities[largest]!) largest = weight;
  }
  probabilities[largest]! += size - sum;
  return probabilities[largest]! > 0 ? probabilities : undefined;
}
