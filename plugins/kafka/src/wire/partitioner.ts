import { randomInt } from "node:crypto";

/** How a key chooses its partition; the names are those of librdkafka. */
export const PARTITIONERS = ["consistent_random", "consistent", "murmur2_random", "murmur2", "random"] as const;
export type PartitionerName = (typeof PARTITIONERS)[number];

/** The partition of `key[start..end)` among `count`; null = there is no key. Called once per message. */
export type Partitioner = (key: Uint8Array | null, start: number, end: number, count: number) => number;

export function partitionerOf(name: PartitionerName): Partitioner {
  switch (name) {
    case "consistent_random":
      return (key, start, end, count) =>
        key === null || start === end ? randomInt(count) : crc32(key, start, end) % count;
    case "consistent":
      return (key, start, end, count) => (key === null ? 0 : crc32(key, start, end)) % count;
    case "murmur2_random":
      return (key, start, end, count) => (key === null ? randomInt(count) : murmur2(key, start, end) % count);
    case "murmur2":
      return (key, start, end, count) => (key === null ? murmur2(EMPTY, 0, 0) : murmur2(key, start, end)) % count;
    case "random":
      return (_key, _start, _end, count) => randomInt(count);
  }
}

const EMPTY = new Uint8Array(0);
const CRC_TABLE = makeCrcTable();

function crc32(bytes: Uint8Array, start: number, end: number): number {
  let crc = ~0;
  for (let at = start; at < end; at++) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ bytes[at]!) & 255]!;
  return ~crc >>> 0;
}

function makeCrcTable(): Int32Array {
  const table = new Int32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    table[byte] = crc;
  }
  return table;
}

/** Murmur2 as the Java client has it, without the sign. */
function murmur2(bytes: Uint8Array, start: number, end: number): number {
  const M = 0x5bd1e995;
  const length = end - start;
  let hash = 0x9747b28c ^ length;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    let word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    word = Math.imul(word, M);
    word = Math.imul(word ^ (word >>> 24), M);
    hash = Math.imul(hash, M) ^ word;
  }
  const rest = end - at;
  if (rest > 2) hash ^= bytes[at + 2]! << 16;
  if (rest > 1) hash ^= bytes[at + 1]! << 8;
  if (rest > 0) hash = Math.imul(hash ^ bytes[at]!, M);
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return (hash ^ (hash >>> 15)) & 0x7fffffff;
}
