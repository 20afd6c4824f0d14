import { CHUNK_MASK, type Chunk, ENTRY_WORDS } from "./chunk.ts";

const SHARD_BITS = 6;
const SHARDS = 1 << SHARD_BITS;
const SMALLEST = 64;
/** A slot that was never used, and one whose key is gone; no entry has these numbers. */
const EMPTY = 0;
const GONE = 2 ** 32 - 1;

/**
 * Hash tables from keys to the numbers of entries, small enough that making one larger is no pause that anybody sees. A
 * slot holds the number and the second word of the key, so that most looks end without the entry.
 */
export class Index {
  private readonly chunkOf: (number: number) => Chunk | undefined;
  private readonly shards: Shard[] = [];
  /** Where the last `find` ended. */
  private shard: Shard;
  private slot = 0;

  constructor(chunkOf: (number: number) => Chunk | undefined) {
    this.chunkOf = chunkOf;
    for (let i = 0; i < SHARDS; i++) this.shards.push({ slots: new Uint32Array(2 * SMALLEST), used: 0 });
    this.shard = this.shards[0]!;
  }

  /** The number of the entry with the key whose four words begin at `from`; 0 = there is none. */
  find(words: Uint32Array, from: number): number {
    const shard = this.shards[words[from]! >>> (32 - SHARD_BITS)]!;
    const { slots } = shard;
    const mask = slots.length - 1;
    const tag = words[from + 1]!;
    this.shard = shard;
    let free = -1;
    for (let slot = (2 * tag) & mask; ; slot = (slot + 2) & mask) {
      const number = slots[slot]!;
      if (number === EMPTY) {
        this.slot = free >= 0 ? free : slot;
        return 0;
      }
      const chunk = number === GONE ? undefined : this.chunkOf(number);
      if (chunk === undefined) {
        if (free < 0) free = slot;
      } else if (slots[slot + 1] === tag && isAt(chunk, number, words, from)) {
        this.slot = slot;
        return number;
      }
    }
  }

  /** Lets the key of the last `find` lead to this entry. */
  set(words: Uint32Array, from: number, number: number): void {
    const { shard, slot } = this;
    const { slots } = shard;
    if (slots[slot] === EMPTY) shard.used++;
    slots[slot] = number;
    slots[slot + 1] = words[from + 1]!;
    if (shard.used * 20 > slots.length * 7) this.rebuild(shard);
  }

  /** Forgets the key that the last `find` has found. */
  remove(): void {
    this.shard.slots[this.slot] = GONE;
  }

  /** Makes room: without the entries that are gone, in a table that the others fill by less than half. */
  private rebuild(shard: Shard): void {
    const old = shard.slots;
    let count = 0;
    for (let at = 0; at < old.length; at += 2) {
      const number = old[at]!;
      if (number === EMPTY || number === GONE || !this.chunkOf(number)) old[at] = EMPTY;
      else count++;
    }
    let size = SMALLEST;
    while (size * 4 < count * 10) size *= 2;
    const slots = new Uint32Array(2 * size);
    const mask = slots.length - 1;
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] === EMPTY) continue;
      let slot = (2 * old[at + 1]!) & mask;
      while (slots[slot] !== EMPTY) slot = (slot + 2) & mask;
      slots[slot] = old[at]!;
      slots[slot + 1] = old[at + 1]!;
    }
    shard.slots = slots;
    shard.used = count;
  }
}

interface Shard {
  /** Pairs of an entry's number and the second word of its key. */
  slots: Uint32Array;
  /** Pairs that are not empty. */
  used: number;
}

function isAt(chunk: Chunk, number: number, key: Uint32Array, from: number): boolean {
  const { words } = chunk;
  const at = ENTRY_WORDS * (number & CHUNK_MASK);
  return (
    words[at] === key[from] &&
    words[at + 1] === key[from + 1] &&
    words[at + 2] === key[from + 2] &&
    words[at + 3] === key[from + 3]
  );
}
