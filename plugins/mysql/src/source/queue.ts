import { setTimeout as pause } from "node:timers/promises";
import { kindOf } from "@mqb/core/plugin";
import { type Claim, type SqlQueue, sqlErrors } from "@mqb/sql";
import type { MysqlTable } from "../catalog.ts";
import type { MysqlPool } from "../client/pool.ts";
import type { Session } from "../client/session.ts";
import { textLiteral } from "../literal.ts";

const TRIES = 5;
const PAUSE_MS = 50;

/** A table as a queue. A lease is the time at which it ends, in UTC; the same time tells whose it is. */
export function openQueue(pool: MysqlPool, { sql, columns }: MysqlTable): SqlQueue {
  const { target } = pool;
  const typeOf = (name: string): string => {
    const column = columns.find((one) => one.name.toLowerCase() === name);
    if (column) return column.type;
    throw sqlErrors.NO_COLUMN({ field: "a queue", column: name, target, columns: columns.map((one) => one.name) });
  };
  if (!/^(?:tinyint|smallint|mediumint|int|bigint)\b/.test(typeOf("id"))) {
    throw sqlErrors.STATEMENT({
      field: "table",
      reason: `the id of a queue is an integer, and that of ${target} is ${typeOf("id")}`,
    });
  }
  typeOf("payload");
  const precision = /\((\d)\)/.exec(typeOf("locked_until"))?.[1] ?? "0";
  const later = (ms: number): string =>
    `CAST(UTC_TIMESTAMP(6) + INTERVAL ${Math.round(ms)} * 1000 MICROSECOND AS DATETIME(${precision}))`;
  const free = "locked_until IS NULL OR locked_until < UTC_TIMESTAMP(6)";
  const ours = (ids: readonly string[], token: string): string =>
    `id IN (${ids.map(digits).join(",")}) AND locked_until = ${textLiteral(token)}`;
  const run = (statement: string): ReturnType<Session["query"]> =>
    patiently(() => pool.use((session) => session.query(statement)));
  const unsure: Claim[] = [];
  return {
    async claim(max, leaseMs, signal) {
      // Committed when the rows are here: those that were lost on the way are free again at once.
      return patiently(() =>
        pool.use(async (session) => {
          let claim: Claim | undefined;
          // Without locks between the rows, which would keep writers waiting.
          await session.query("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
          await session.query("START TRANSACTION");
          try {
            const select = `SELECT id, payload, ${later(leaseMs)} FROM ${sql} WHERE ${free} ORDER BY id LIMIT ${max} FOR UPDATE SKIP LOCKED`;
            const { rows } = await session.query(select);
            claim = claimOf(rows);
            if (claim.ids.length > 0) {
              const ids = claim.ids.map(digits).join(",");
              await session.query(`UPDATE ${sql} SET locked_until = ${textLiteral(claim.token)} WHERE id IN (${ids})`);
            }
            await session.query("COMMIT");
            return claim;
          } catch (error) {
            // Nobody knows whether the server has taken the COMMIT.
            if (claim && claim.ids.length > 0) unsure.push(claim);
            await session.query("ROLLBACK").catch(() => {});
            throw error;
          }
        }, signal),
      );
    },
    takeUnsure: () => unsure.splice(0),
    async remove({ token }, ids) {
      if (ids.length > 0) await run(`DELETE FROM ${sql} WHERE ${ours(ids, token)}`);
    },
    async release({ token }, ids) {
      if (ids.length > 0) await run(`UPDATE ${sql} SET locked_until = NULL WHERE ${ours(ids, token)}`);
    },
    async renew(claim, ids, leaseMs): Promise<Claim> {
      const { rows } = await run(`SELECT ${later(leaseMs)}`);
      const token = String(rows[0]![0]);
      await run(`UPDATE ${sql} SET locked_until = ${textLiteral(token)} WHERE ${ours(ids, claim.token)}`);
      return { ...claim, token };
    },
    async pending() {
      const { rows } = await run(`SELECT COUNT(*) FROM ${sql} WHERE ${free}`);
      return Number(rows[0]![0]);
    },
  };
}

function claimOf(rows: Awaited<ReturnType<Session["query"]>>["rows"]): Claim {
  return {
    ids: rows.map(([id]) => String(id)),
    payloads: rows.map(([, payload]) => Buffer.from(payload ?? "")),
    token: String(rows[0]?.[2] ?? ""),
  };
}

/** An id is put into statements as it is. */
function digits(id: string): string {
  return BigInt(id).toString();
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
