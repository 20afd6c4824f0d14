/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

export function integer(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

/** Some of the entries, in random order. */
export function some<T>(random: Random, from: readonly T[], most: number): T[] {
  const left = [...from];
  const taken: T[] = [];
  for (let n = Math.min(most, integer(random, 0, left.length)); n > 0; n--) {
    taken.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return taken;
}
