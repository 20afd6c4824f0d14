import { type Claim, type SqlQueue, sqlErrors, type TableInfo } from "@mqb/sql";
import type { Session } from "./client/session.ts";
import { affinityOf } from "./values.ts";

const NOW = "strftime('%Y-%m-%d %H:%M:%f', 'now')";
const LATER = "strftime('%Y-%m-%d %H:%M:%f', 'now', ?)";
const AT_ONCE = 500;

/** A table as a queue. A lease is the time at which it ends; the same time tells whose it is. */
export function openQueue(session: Session, { sql, columns }: TableInfo): SqlQueue {
  const { target } = session;
  for (const name of ["id", "payload", "locked_until"]) {
    if (columns.some((column) => column.name.toLowerCase() === name)) continue;
    const have = columns.map((column) => column.name);
    throw sqlErrors.NO_COLUMN({ field: "a queue", column: name, target, columns: have });
  }
  const id = columns.find(({ name }) => name.toLowerCase() === "id")!;
  if (affinityOf(id.type) !== "integer") {
    throw sqlErrors.STATEMENT({
      field: "table",
      reason: `the id of a queue is an integer, and that of ${target} is ${id.type}`,
    });
  }
  const free = `locked_until IS NULL OR locked_until <= ${NOW}`;
  const lease = (ms: number): string => `+${(ms / 1000).toFixed(3)} seconds`;
  const owned = async (
    ids: readonly string[],
    token: string,
    statement: (marks: string) => string,
    first: unknown[],
  ): Promise<void> => {
    await session.transaction(() => {
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const some = ids.slice(at, at + AT_ONCE).map(BigInt);
        session.prepare(statement(some.map(() => "?").join(", "))).run(...first, ...some, token);
      }
    });
  };
  return {
    async claim(max, leaseMs) {
      // To look first takes no lock: others write meanwhile.
      const any = await session.use(() => session.prepare(`SELECT 1 FROM ${sql} WHERE ${free} LIMIT 1`).get());
      if (!any) return { ids: [], payloads: [], token: "" };
      return session.transaction(() => {
        const [token] = session.prepare(`SELECT ${LATER}`).get(lease(leaseMs)) as [string];
        const rows = session
          .prepare(
            `UPDATE ${sql} SET locked_until = ? WHERE id IN (SELECT id FROM ${sql} WHERE ${free} ORDER BY id LIMIT ?) RETURNING id, payload`,
          )
          .all(token, BigInt(max)) as [bigint, unknown][];
        rows.sort(([a], [b]) => (a < b ? -1 : 1));
        return { ids: rows.map(([one]) => String(one)), payloads: rows.map(([, payload]) => bytesOf(payload)), token };
      });
    },
    takeUnsure: () => [],
    remove: ({ token }, ids) =>
      owned(ids, token, (marks) => `DELETE FROM ${sql} WHERE id IN (${marks}) AND locked_until = ?`, []),
    release: ({ token }, ids) =>
      owned(
        ids,
        token,
        (marks) => `UPDATE ${sql} SET locked_until = NULL WHERE id IN (${marks}) AND locked_until = ?`,
        [],
      ),
    async renew(claim, ids, leaseMs): Promise<Claim> {
      const [token] = (await session.use(() => session.prepare(`SELECT ${LATER}`).get(lease(leaseMs)))) as [string];
      await owned(
        ids,
        claim.token,
        (marks) => `UPDATE ${sql} SET locked_until = ? WHERE id IN (${marks}) AND locked_until = ?`,
        [token],
      );
      return { ...claim, token };
    },
    async pending() {
      const [count] = (await session.use(() => session.prepare(`SELECT count(*) FROM ${sql} WHERE ${free}`).get())) as [
        bigint,
      ];
      return Number(count);
    },
  };
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return Buffer.from(value === null || value === undefined ? "" : String(value));
}
