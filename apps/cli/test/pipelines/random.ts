import { integer, type Random } from "@mqb/testkit";

/** Some of the entries, in random order. */
export function some<T>(random: Random, from: readonly T[], most: number): T[] {
  const left = [...from];
  const taken: T[] = [];
  for (let n = Math.min(most, integer(random, 0, left.length)); n > 0; n--) {
    taken.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return taken;
}
