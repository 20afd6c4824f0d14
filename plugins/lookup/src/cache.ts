import type { Answer } from "./answer.ts";
import type { CacheSettings } from "./config.ts";

interface Kept {
  readonly answer: Answer;
  /** On the monotonic clock. */
  readonly until: number;
  readonly size: number;
}

/** What an entry takes beside its bytes, roughly. */
const OVERHEAD = 150;

/** Answers by key, for a time, within bounds; what was not used for longest goes first. */
export class AnswerCache {
  hits = 0;
  misses = 0;
  private readonly settings: CacheSettings;
  /** From the one that was not used for longest. */
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;

  constructor(settings: CacheSettings) {
    this.settings = settings;
  }

  get size(): number {
    return this.kept.size;
  }

  /** `now`: milliseconds that never go back. */
  get(key: string, now: number): Answer | undefined {
    const kept = this.kept.get(key);
    if (!kept || kept.until <= now) {
      if (kept) this.drop(key, kept);
      this.misses++;
      return undefined;
    }
    this.hits++;
    this.kept.delete(key);
    this.kept.set(key, kept);
    return kept.answer;
  }

  put(key: string, answer: Answer, now: number): void {
    const { ttl_ms, missing_ttl_ms, max_entries, max_bytes } = this.settings;
    const ttl = answer.found ? ttl_ms : (missing_ttl_ms ?? ttl_ms);
    const before = this.kept.get(key);
    if (before) this.drop(key, before);
    const size = OVERHEAD + 2 * key.length + answer.json.length;
    if (ttl === 0 || size > max_bytes) return;
    // A copy: the answer may lie in a large response.
    const own = { found: answer.found, json: Uint8Array.from(answer.json) };
    this.kept.set(key, { answer: own, until: now + ttl, size });
    this.bytes += size;
    for (const [oldest, one] of this.kept) {
      if (this.kept.size <= max_entries && this.bytes <= max_bytes) break;
      this.drop(oldest, one);
    }
  }

  private drop(key: string, kept: Kept): void {
    this.kept.delete(key);
    this.bytes -= kept.size;
  }
}
