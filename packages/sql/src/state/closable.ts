import type { SqlDatabase } from "../contract.ts";
import { errors } from "../errors.ts";

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
    await Promise.allSettled([...this.running]);
    await this.database.close();
  }
}
