import { freshDatabase, freshName, sql } from "../server.ts";

export interface Lab {
  readonly url: string;
  readonly slot: string;
  /** Runs statements in the database of the test; gives the rows of the last one. */
  sql(statements: string): Promise<(string | null)[][]>;
  drop(): Promise<void>;
}

/** A database and a name for a slot; both are gone with `drop`, whoever reads the slot. */
export async function freshLab(server?: string): Promise<Lab> {
  const database = await freshDatabase(server);
  const slot = freshName("mqb_slot");
  return {
    url: database.url,
    slot,
    sql: (statements) => sql(statements, database.url),
    async drop() {
      await dropSlots(database.url);
      await database.drop();
    },
  };
}

/** Slots are of the whole server, and keep a database from being dropped. */
export async function dropSlots(url: string): Promise<void> {
  const of = "FROM pg_replication_slots WHERE database = current_database()";
  for (let tries = 0; tries < 100; tries++) {
    await sql(`SELECT pg_terminate_backend(active_pid) ${of} AND active_pid IS NOT NULL`, url);
    await sql(`SELECT pg_drop_replication_slot(slot_name) ${of} AND active_pid IS NULL`, url).catch(() => {});
    const [row] = await sql(`SELECT count(*) ${of}`, url);
    if (row![0] === "0") return;
  }
}
