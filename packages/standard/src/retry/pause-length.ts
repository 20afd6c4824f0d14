import { isMqbError } from "@mqb/core/plugin";
import { MAX_TIMER_MS } from "../fields.ts";
import type { RetrySettings } from "./config.ts";

/** The pause before attempt `attempt` (2 = the first retry). `askedMs`: how long the other side asked to wait. */
export function pauseBefore(attempt: number, settings: RetrySettings, askedMs: number): number {
  const { initial_interval_ms: first, max_interval_ms: most, multiplier, jitter } = settings;
  const full = Math.min(most, first * multiplier ** (attempt - 2));
  const pause = jitter > 0 ? full * (1 - jitter * Math.random()) : full;
  return Math.min(MAX_TIMER_MS, Math.max(pause, askedMs));
}

/** The longest wait that an error or one of its causes asks for; 0 = none. */
export function askedWait(error: unknown): number {
  let most = 0;
  const seen = new Set<unknown>();
  for (let link = error; typeof link === "object" && link !== null && !seen.has(link); ) {
    seen.add(link);
    if (isMqbError(link) && link.retryAfterMs !== undefined) most = Math.max(most, link.retryAfterMs);
    link = (link as { cause?: unknown }).cause;
  }
  return most;
}
