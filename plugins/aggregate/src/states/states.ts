import type { Held } from "./held.ts";

/** Where a batch finds the states that it needs, and leaves the new ones. Keys are those of one entry. */
export interface States {
  find(entry: number, key: string): Held | undefined;
  /** `held` is what `find` gave. */
  set(entry: number, key: string, held: Held | undefined, state: unknown): void;
}
