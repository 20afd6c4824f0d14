import { type Clock, kindOf, type StateEntry, type StateWrite, sleep, type WriteResult } from "@mqb/core/plugin";

/** Keys or writes of one statement. */
const AT_ONCE = 500;
/** Of a transaction that another one got in the way of. */
const TRIES = 12;
const LONGEST_PAUSE_MS = 200;

export function* chunks<T>(items: readonly T[], size: number = AT_ONCE): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

export function marks(items: readonly unknown[], mark = "?"): string {
  return new Array<string>(items.length).fill(mark).join(", ");
}

/** Neighbours that can be written by one statement: alike, and no key twice. Gives their positions. */
export function groupsOf<T extends { readonly key: string }>(
  writes: readonly T[],
  isAlike: (a: T, b: T) => boolean,
): number[][] {
  const groups: number[][] = [];
  let keys = new Set<string>();
  for (const [i, write] of writes.entries()) {
    const group = groups.at(-1);
    if (group && isAlike(writes[group[0]!]!, write) && !keys.has(write.key)) group.push(i);
    else {
      groups.push([i]);
      keys = new Set();
    }
    keys.add(write.key);
  }
  return groups;
}

/** In the order of the keys, so that two writers of the same ones do not wait for each other. */
export function inKeyOrder<T extends { readonly key: string }>(
  group: readonly number[],
  writes: readonly T[],
): readonly number[] {
  return [...group].sort((a, b) => (writes[a]!.key < writes[b]!.key ? -1 : 1));
}

/**
 * Runs it again when another transaction was in the way: at once, then after pauses that grow. They are of any length, as those
 * who lock each other out would meet again.
 */
export async function patiently<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES || kindOf(error, "permanent") !== "retryable") throw error;
      if (tries > 1) await sleep(clock, Math.random() * Math.min(2 ** tries, LONGEST_PAUSE_MS));
    }
  }
}

/** The results of writes, where those that were refused say what stands in their way. */
export async function withCurrent(
  results: readonly WriteResult[],
  writes: readonly StateWrite[],
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, StateEntry>>,
): Promise<readonly WriteResult[]> {
  const saysNothing = (i: number): boolean => {
    const result = results[i]!;
    return result.type === "conflict" && result.current === undefined;
  };
  const refused = writes.filter((_, i) => saysNothing(i)).map(({ key }) => key);
  if (refused.length === 0) return results;
  const current = await read(refused);
  return results.map((result, i) => {
    const entry = saysNothing(i) ? current.get(writes[i]!.key) : undefined;
    return entry ? { type: "conflict", current: entry } : result;
  });
}
