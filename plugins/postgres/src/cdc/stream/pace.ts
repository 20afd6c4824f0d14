const INTERVAL_MS = 10_000;
/** Replies are due to the server well before it gives us up, and its own before we do. */
const TICKS = 3;
const LEAST_SILENT_MS = 1000;
/** Of a server that gives nobody up. */
const TIMEOUT_MS = 60_000;

export interface Pace {
  /** The server hears of us at least so often. */
  readonly tickMs: number;
  /** One that has said nothing for so long, also when it was asked, is given up. */
  readonly silentMs: number;
}

/**
 * How often the server hears of us, and how long it may be silent. `timeoutMs`: its `wal_sender_timeout`, 0 = none. While it
 * decodes it may answer nothing: where nobody has said otherwise, it may be as slow as it allows itself to be.
 */
export function paceOf(interval: number | null | undefined, timeoutMs: number): Pace {
  const wanted = interval ?? INTERVAL_MS;
  const tickMs = timeoutMs > 0 ? Math.min(wanted, Math.ceil(timeoutMs / TICKS)) : wanted;
  const silentMs = Math.max(TICKS * tickMs, LEAST_SILENT_MS, interval == null ? timeoutMs || TIMEOUT_MS : 0);
  return { tickMs, silentMs };
}
