import { randomUUID } from "node:crypto";
import pg from "pg";

/** The server of the tests: `scripts/services up postgres`. */
export const SERVER = process.env["MQB_TEST_POSTGRES_URL"] ?? "postgres://mqb:test-password@127.0.0.1:25432/postgres";

/** One that tests stop, kill and start again: `scripts/services up postgres-spare`. */
export const SPARE =
  process.env["MQB_TEST_POSTGRES_SPARE_URL"] ?? "postgres://mqb:test-password@127.0.0.1:25442/postgres";

/** A name that nobody has used. */
export function freshName(prefix = "t"): string {
  return `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 16)}`;
}

/** Runs statements, each on its own; gives the rows of the last one as texts. */
export async function sql(statements: string, url = SERVER): Promise<(string | null)[][]> {
  const client = new pg.Client({ connectionString: url, options: "-c timezone=UTC" });
  await client.connect();
  try {
    const types = { getTypeParser: () => (value: string) => value };
    const result: unknown = await client.query({ text: statements, rowMode: "array", types: types as never });
    const last = (Array.isArray(result) ? result.at(-1) : result) as { readonly rows: (string | null)[][] };
    return last.rows;
  } finally {
    await client.end();
  }
}

/** A database of its own, dropped with everything in it. */
export async function freshDatabase(server = SERVER): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const name = freshName("mqb_test");
  await sql(`CREATE DATABASE ${name}`, server);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: async () => void (await sql(`DROP DATABASE ${name} WITH (FORCE)`, server)) };
}
