import { CHUNK_MASK, type Chunk } from "./chunk.ts";

const SHARD_BITS = 6;
const SHARDS = 1 << SHARD_BITS;
const SMALLEST = 64;
const EMPTY = 0;

/** Hash tables from keys to the numbers of entries, small enough that making one larger is no pause that anybody sees. */
export class Index {
  private readonly chunkOf: (number: number) => Chunk | undefined;
  private readonly shards: Shard[] = [];
  /** The shard and the slot where the last `find` ended. */
  private shard: Shard;
  private free = 0;

  constructor(chunkOf: (number: number) => Chunk | undefined) {
    this.chunkOf = chunkOf;
    for (let i = 0; i < SHARDS; i++) this.shards.push({ slots: new Uint32Array(SMALLEST), used: 0 });
    this.shard = this.shards[0]!;
  }

  /** The slot of a key, valid until the next `insert`; -1 when there is none. */
  find(words: Uint32Array): number {
    const shard = this.shards[shardOf(words[0]!)]!;
    const { slots } = shard;
    const mask = slots.length - 1;
    this.shard = shard;
    let stale = -1;
    for (let slot = words[1]! & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot]!;
      if (number === EMPTY) {
        this.free = stale >= 0 ? stale : slot;
        return -1;
      }
      const chunk = this.chunkOf(number);
      if (chunk === undefined) {
        if (stale < 0) stale = slot;
        continue;
      }
      const { hashes } = chunk;
      const at = 4 * (number & CHUNK_MASK);
      if (
        hashes[at] === words[0] &&
        hashes[at + 1] === words[1] &&
        hashes[at + 2] === words[2] &&
        hashes[at + 3] === words[3]
      )
        return slot;
    }
  }

  numberAt(slot: number): number {
    return this.shard.slots[slot]!;
  }

  /** Lets the slot of the last `find` lead to another entry of the same key. */
  set(slot: number, number: number): void {
    this.shard.slots[slot] = number;
  }

  /** For a key that the last `find` did not find. */
  insert(number: number): void {
    const { shard, free } = this;
    if (shard.slots[free] === EMPTY) shard.used++;
    shard.slots[free] = number;
    if (shard.used * 10 > shard.slots.length * 7) this.rebuild(shard);
  }

  /** Makes room: without the entries that are gone, in a table that the others fill by less than half. */
  private rebuild(shard: Shard): void {
    const living = new Uint32Array(shard.used);
    let count = 0;
    for (const number of shard.slots) {
      if (number === EMPTY) continue;
      const chunk = this.chunkOf(number);
      const at = number & CHUNK_MASK;
      // A number that was given anew may belong to a key of another shard now.
      if (chunk && chunk.expiries[at] !== 0 && this.shards[shardOf(chunk.hashes[4 * at]!)] === shard)
        living[count++] = number;
    }
    let size = SMALLEST;
    while (size * 4 < count * 10) size *= 2;
    const slots = new Uint32Array(size);
    let used = 0;
    for (let i = 0; i < count; i++) {
      const number = living[i]!;
      let slot = this.chunkOf(number)!.hashes[4 * (number & CHUNK_MASK) + 1]! & (size - 1);
      while (slots[slot] !== EMPTY && slots[slot] !== number) slot = (slot + 1) & (size - 1);
      if (slots[slot] === EMPTY) used++;
      slots[slot] = number;
    }
    shard.slots = slots;
    shard.used = used;
  }
}

function shardOf(word: number): number {
  return word >>> (32 - SHARD_BITS);
}

interface Shard {
  slots: Uint32Array;
  /** Slots that are not empty. */
  used: number;
}
