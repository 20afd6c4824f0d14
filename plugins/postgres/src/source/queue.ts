import { setTimeout as pause } from "node:timers/promises";
import { kindOf } from "@mqb/core/plugin";
import { type Claim, type SqlQueue, sqlErrors, type TableInfo } from "@mqb/sql";
import type { PostgresPool } from "../client/pool.ts";
import { lastRows, type RawResult, raw } from "../raw.ts";
import { withoutQuotes } from "../types.ts";

const TRIES = 5;
const PAUSE_MS = 50;

/** A table as a queue. A lease is the time at which it ends; the same time tells whose it is. */
export function openQueue(pool: PostgresPool, { sql, columns }: TableInfo): SqlQueue {
  const { target } = pool;
  const typeOf = (name: string): string => {
    const column = columns.find((one) => one.name === name);
    if (column) return withoutQuotes(column.type);
    throw sqlErrors.NO_COLUMN({ field: "a queue", column: name, target, columns: columns.map((one) => one.name) });
  };
  if (!/^pg_catalog\.int[248]$/.test(typeOf("id"))) {
    throw sqlErrors.STATEMENT({
      field: "table",
      reason: `the id of a queue is an integer, and that of ${target} is ${typeOf("id")}`,
    });
  }
  typeOf("locked_until");
  const bytes = typeOf("payload") === "pg_catalog.bytea" ? "t.payload" : "convert_to(t.payload::text, 'UTF8')";
  const free = "locked_until IS NULL OR locked_until < now()";
  const claimSql = (max: number, leaseMs: number): string =>
    `BEGIN; WITH picked AS (SELECT id FROM ${sql} WHERE ${free} ORDER BY id LIMIT ${max} FOR UPDATE SKIP LOCKED) UPDATE ${sql} AS t SET locked_until = now() + interval '${leaseMs} milliseconds' FROM picked WHERE t.id = picked.id RETURNING t.id, encode(${bytes}, 'base64'), t.locked_until::text`;
  const ours = "id = ANY($1::text::int8[]) AND locked_until::text = $2";
  const run = (statement: string, values: readonly unknown[]): Promise<Awaited<ReturnType<typeof raw>>> =>
    patiently(() => pool.use((client) => raw(client, statement, values)));
  const unsure: Claim[] = [];
  return {
    async claim(max, leaseMs, signal) {
      // Committed when the rows are here: those that were lost on the way are free again at once.
      return patiently(() =>
        pool.use(async (client) => {
          let claim: Claim | undefined;
          try {
            claim = claimOf(await lastRows(client, claimSql(max, leaseMs)));
            await client.query("COMMIT");
            return claim;
          } catch (error) {
            // Nobody knows whether the server has taken the COMMIT.
            if (claim && claim.ids.length > 0) unsure.push(claim);
            await client.query("ROLLBACK").catch(() => {});
            throw error;
          }
        }, signal),
      );
    },
    takeUnsure: () => unsure.splice(0),
    async remove({ token }, ids) {
      await run(`DELETE FROM ${sql} WHERE ${ours}`, [arrayOf(ids), token]);
    },
    async release({ token }, ids) {
      await run(`UPDATE ${sql} SET locked_until = NULL WHERE ${ours}`, [arrayOf(ids), token]);
    },
    async renew(claim, ids, leaseMs): Promise<Claim> {
      const update = `UPDATE ${sql} SET locked_until = now() + $3::text::interval WHERE ${ours} RETURNING locked_until::text`;
      const { rows } = await run(update, [arrayOf(ids), claim.token, `${leaseMs} milliseconds`]);
      return { ...claim, token: rows[0]?.[0] ?? claim.token };
    },
    async pending() {
      const { rows } = await run(`SELECT count(*) FROM ${sql} WHERE ${free}`, []);
      return Number(rows[0]![0]);
    },
  };
}

function claimOf(rows: RawResult["rows"]): Claim {
  const sorted = [...rows].sort(([a], [b]) => (BigInt(a!) < BigInt(b!) ? -1 : 1));
  return {
    ids: sorted.map(([id]) => id!),
    payloads: sorted.map(([, payload]) => Buffer.from(payload ?? "", "base64")),
    token: sorted[0]?.[2] ?? "",
  };
}

function arrayOf(ids: readonly string[]): string {
  return `{${ids.join(",")}}`;
}

/** A deadlock ends by itself. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES || kindOf(error, "connection") !== "retryable") throw error;
    }
    await pause(PAUSE_MS);
  }
}
