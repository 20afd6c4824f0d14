import { setTimeout as pause } from "node:timers/promises";
import { classify, isBusy } from "./classify.ts";
import type { Connection, Prepared } from "./provider.ts";

/** Statements that are kept. */
const PREPARED = 300;
/** How long SQLite itself may wait for a lock, which blocks the process; longer waits are made of pauses. */
export const BLOCKING_MS = 5;
const PAUSE_MS = 10;

/**
 * One connection, used by one at a time. A lock of another process is waited for with pauses, so that the process works
 * on meanwhile; when it lasts longer than `patienceMs`, a `retryable` error is thrown.
 */
export class Session {
  readonly target: string;
  private readonly connection: Connection;
  private readonly patienceMs: number;
  private readonly prepared = new Map<string, Prepared>();
  private last: Promise<unknown> = Promise.resolve();
  private closing: Promise<void> | undefined;

  private readonly afterClose: () => Promise<void>;

  constructor(connection: Connection, target: string, patienceMs: number, afterClose: () => Promise<void>) {
    this.connection = connection;
    this.afterClose = afterClose;
    this.target = target;
    this.patienceMs = patienceMs;
  }

  /** A statement that gives rows as arrays, and integers as bigints. */
  prepare(sql: string): Prepared {
    let prepared = this.prepared.get(sql);
    if (prepared) return prepared;
    prepared = this.connection.prepare(sql);
    prepared.setReadBigInts(true);
    prepared.setReturnArrays(true);
    if (this.prepared.size >= PREPARED) this.prepared.clear();
    this.prepared.set(sql, prepared);
    return prepared;
  }

  /** Runs work that ends before it returns. It is run again when a lock was in the way: it must be one statement. */
  use<T>(work: () => T): Promise<T> {
    return this.inTurn(() => this.patiently(work));
  }

  /** Runs work in a transaction that may write: all or nothing. */
  transaction<T>(work: () => T | Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      await this.patiently(() => this.connection.exec("BEGIN IMMEDIATE"));
      try {
        const result = await work();
        await this.patiently(() => this.connection.exec("COMMIT"));
        return result;
      } catch (error) {
        this.rollBack();
        throw classify(error, this.target);
      }
    });
  }

  close(): Promise<void> {
    return (this.closing ??= this.inTurn(async () => {
      this.prepared.clear();
      this.connection.close();
      await this.afterClose();
    }));
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.last.then(work);
    this.last = turn.catch(() => {});
    return turn;
  }

  private async patiently<T>(work: () => T): Promise<T> {
    const end = performance.now() + this.patienceMs;
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= end) throw classify(error, this.target);
      }
      await pause(PAUSE_MS);
    }
  }

  private rollBack(): void {
    try {
      this.connection.exec("ROLLBACK");
    } catch {
      // SQLite has rolled it back by itself.
    }
  }
}
