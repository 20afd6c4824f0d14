import type { AccountingSnapshot } from "@mqb/core/plugin";

/** What a copy has done, as far as its last line tells. */
export interface CopyCounts {
  /** Messages that came from the source, each counted once however often it was delivered. */
  readonly read: number;
  readonly delivered: number;
  readonly deadLettered: number;
  readonly dropped: number;
}

export function countsOf(accounting: AccountingSnapshot): CopyCounts {
  return {
    // What was nacked came again, or will.
    read: accounting.received - accounting.nacked,
    delivered: accounting.delivered + accounting.replied,
    deadLettered: accounting.deadLettered,
    dropped: accounting.dropped,
  };
}

/** `1_000 rows`, `2 of 3 rows` when some were taken out on the way, `0 rows, dead-lettered 1_000`. */
export function rowsPhrase(counts: CopyCounts): string {
  const { read, delivered, deadLettered } = counts;
  const rows =
    delivered + deadLettered < read ? `${grouped(delivered)} of ${grouped(read)} rows` : `${grouped(delivered)} rows`;
  return deadLettered > 0 ? `${rows}, dead-lettered ${grouped(deadLettered)}` : rows;
}

/** `copied 1_000 rows in 65ms (15_385 rows/s)` */
export function summaryLine(verb: string, counts: CopyCounts, elapsedMs: number): string {
  return `${verb} ${rowsPhrase(counts)} in ${duration(elapsedMs)} (${grouped(rate(counts, elapsedMs))} rows/s)`;
}

export function progressLine(counts: CopyCounts, elapsedMs: number): string {
  return `${grouped(counts.delivered)} rows (${grouped(rate(counts, elapsedMs))} rows/s)`;
}

function rate({ read, delivered }: CopyCounts, elapsedMs: number): number {
  return Math.round((Math.max(read, delivered) * 1000) / Math.max(elapsedMs, 1));
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.floor(ms)}ms` : `${(ms / 1000).toFixed(2)}s`;
}

export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, "_");
}
