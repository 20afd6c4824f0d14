import type { Outcome } from "@mqb/core/plugin";

/** How many messages are remembered, how many bytes they and their answers take at most, and for how long. */
const LIMITS = { entries: 65_536, bytes: 32 * 1024 * 1024, ms: 15 * 60_000 };
const BYTES_PER_ENTRY = 256;

/** The outcome of a message at each leg; undefined where the leg has not taken it. */
export type Legs = readonly (Outcome | undefined)[];

interface Entry {
  readonly legs: Legs;
  readonly bytes: number;
  readonly until: number;
}

/**
 * What some legs took of messages that failed at another one. When such a message comes again, from a retry or from its
 * source, only the legs that have not taken it get it. What does not come again is forgotten, as is the oldest of too many.
 */
export class Taken {
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  get size(): number {
    return this.entries.size;
  }

  get(key: string): Legs | undefined {
    return this.entries.get(key)?.legs;
  }

  forget(key: string): void {
    this.bytes -= this.entries.get(key)?.bytes ?? 0;
    this.entries.delete(key);
  }

  /** Of two messages that cannot be told apart, only what both have is known. */
  remember(key: string, legs: Legs, now: number): void {
    const twin = this.entries.get(key)?.legs;
    this.forget(key);
    const known = twin ? legs.map((outcome, index) => twin[index] && outcome) : legs;
    const bytes = known.reduce((sum, one) => sum + (one?.type === "replied" ? one.message.payload.length : 0), 0);
    this.entries.set(key, { legs: known, bytes: bytes + BYTES_PER_ENTRY, until: now + LIMITS.ms });
    this.bytes += bytes + BYTES_PER_ENTRY;
    this.tidy(now);
  }

  /** Forgets what is too old; of too much the older part, since one by one would cost a walk over the gaps each time. */
  tidy(now: number): void {
    const share = this.entries.size > LIMITS.entries || this.bytes > LIMITS.bytes ? 7 / 8 : 1;
    for (const [key, { until }] of this.entries) {
      const fits = this.entries.size <= LIMITS.entries * share && this.bytes <= LIMITS.bytes * share;
      if (until > now && fits) return;
      this.forget(key);
    }
  }
}
