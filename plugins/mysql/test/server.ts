import { randomUUID } from "node:crypto";
import { type Connection, createConnection } from "mysql2/promise";

/** The server of the tests: `scripts/services up mariadb`. */
export const SERVER = process.env["MQB_TEST_MARIADB_URL"] ?? "mysql://mqb:test-password@127.0.0.1:23306/mqb";
/** One that tests may stop and kill: `scripts/services up mariadb-spare`. */
export const SPARE = process.env["MQB_TEST_MARIADB_SPARE_URL"] ?? "mysql://mqb:test-password@127.0.0.1:23307/mqb";

/** A name that nobody has used. */
export function freshName(prefix = "t"): string {
  return `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 16)}`;
}

/** Runs statements, each on its own, with a plain session in UTC; gives the rows of the last one as texts. */
export async function sql(statements: string, url = SERVER): Promise<(string | null)[][]> {
  const connection = await createConnection({
    uri: url.replace(/\?.*$/, ""),
    multipleStatements: true,
    rowsAsArray: true,
    charset: "utf8mb4",
    typeCast: (field: { string(encoding: string): string | null }) => field.string("utf8"),
  });
  try {
    await connection.query("SET time_zone = '+00:00'");
    return await lastRows(connection, statements);
  } finally {
    await connection.end();
  }
}

async function lastRows(connection: Connection, statements: string): Promise<(string | null)[][]> {
  const [result] = await connection.query(statements);
  const results = result as unknown[];
  // One statement gives its rows; several give a list of such lists, or of headers.
  const isList = Array.isArray(results) && results.length > 0 && !isRow(results[0]);
  const last = isList ? results.at(-1) : results;
  return Array.isArray(last) ? (last as (string | null)[][]) : [];
}

function isRow(value: unknown): boolean {
  return Array.isArray(value) && (value.length === 0 || value[0] === null || typeof value[0] === "string");
}

/** A database of its own, dropped with everything in it. */
export async function freshDatabase(server = SERVER): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const name = freshName("mqb_test");
  await sql(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`, server);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: async () => void (await sql(`DROP DATABASE ${name}`, server)) };
}
