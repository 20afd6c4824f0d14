import { setTimeout } from "node:timers/promises";
import type { SqlDatabase } from "../contract.ts";
import { errors } from "../errors.ts";

/** How long what is under way may take when the store is closed; a server that says nothing ends with its connections. */
const FINISH_MS = 500;

/** The database of a store, until the store is closed: then what is under way is finished, and nothing begins. */
export class Closable {
  private readonly database: SqlDatabase;
  private readonly running = new Set<Promise<unknown>>();
  private closing: Promise<void> | undefined;

  constructor(database: SqlDatabase) {
    this.database = database;
  }

  async use<T>(work: (database: SqlDatabase) => Promise<T>): Promise<T> {
    if (this.closing) throw errors.CLOSED({ target: "the state store" });
    const running = work(this.database);
    this.running.add(running);
    try {
      return await running;
    } finally {
      this.running.delete(running);
    }
  }

  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  private async end(): Promise<void> {
    if (this.running.size > 0) {
      const given = new AbortController();
      const finished = Promise.allSettled([...this.running]);
      await Promise.race([finished, setTimeout(FINISH_MS, undefined, given).catch(() => {})]);
      given.abort();
    }
    await this.database.close();
  }
}
