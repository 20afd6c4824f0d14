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

/** `1_000 rows`, `1 row`, `2 of 3 rows` when some were taken out on the way, `0 rows, dead-lettered 1_000`. */
export function rowsPhrase(counts: CopyCounts): string {
  const { read, delivered, deadLettered } = counts;
  const isPart = delivered + deadLettered < read;
  const rows = isPart ? `${grouped(delivered)} of ${grouped(read)} rows` : rowsOf(delivered);
  return deadLettered > 0 ? `${rows}, dead-lettered ${grouped(deadLettered)}` : rows;
}

function rowsOf(count: number): string {
  return `${grouped(count)} ${count === 1 ? "row" : "rows"}`;
}

/** `copied 1_000 rows in 65ms (15_385 rows/s)` */
export function summaryLine(verb: string, counts: CopyCounts, elapsedMs: number): string {
  return `${verb} ${rowsPhrase(counts)} in ${duration(elapsedMs)} (${grouped(rate(counts, elapsedMs))} rows/s)`;
}

/** `2_500 rows (1_500 rows/s)`, with `, 40%, 12s left` where the source knows its size. */
export function progressLine(counts: CopyCounts, elapsedMs: number, progress?: Progress): string {
  const line = `${rowsOf(counts.delivered)} (${grouped(rate(counts, elapsedMs))} rows/s)`;
  if (!progress || progress.total <= 0) return line;
  const share = Math.min(1, progress.position / progress.total);
  const left = share > 0 && share < 1 ? `, ${timeLeft((elapsedMs / share) * (1 - share))} left` : "";
  return `${line}, ${Math.floor(share * 100)}%${left}`;
}

interface Progress {
  readonly position: number;
  readonly total: number;
}

/** `12s`, `2m05s`, `1h05m` */
function timeLeft(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m${two(seconds % 60)}s` : `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`;
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
