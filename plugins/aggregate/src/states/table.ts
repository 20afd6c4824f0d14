import type { Held } from "./held.ts";

/** The states of one entry that are in memory, bounded in number. */
export class Table {
  private readonly held = new Map<string, Held>();
  private readonly most: number;
  private uses = 0;

  /** `most` 0 = without a limit. */
  constructor(most: number) {
    this.most = most === 0 ? Number.POSITIVE_INFINITY : most;
  }

  find(key: string): Held | undefined {
    const found = this.held.get(key);
    if (found) found.used = ++this.uses;
    return found;
  }

  add(key: string, held: Held): void {
    held.used = ++this.uses;
    this.held.set(key, held);
  }

  clear(): void {
    this.held.clear();
  }

  /**
   * Called between batches. When there are too many, drops the half that was used least recently, but none that is not
   * saved. Returns how many went.
   */
  shrink(): number {
    const { size } = this.held;
    if (size <= this.most) return 0;
    const uses = new Float64Array(size);
    let count = 0;
    for (const { used } of this.held.values()) uses[count++] = used;
    uses.sort();
    // Each use has its own number. At most `most` are left, also when one batch brought many more.
    const last = uses[Math.max(size >> 1, size - this.most) - 1]!;
    for (const [key, { used, unsaved }] of this.held) if (used <= last && unsaved === 0) this.held.delete(key);
    return size - this.held.size;
  }
}
