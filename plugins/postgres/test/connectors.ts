import { Message } from "@mqb/core/plugin";
import type { Address, ConnectorFixture, ConnectorUnderTest } from "@mqb/testkit";
import plugin from "../src/index.ts";
import { freshName, sql } from "./server.ts";

const record: Partial<ConnectorFixture> = {
  holds: { empty: false, bytes: false, oddCharacters: false, large: false, metadata: false, ids: false },
  message: (n) => new Message(JSON.stringify({ id: n, text: `message ${n}` })),
  identify: (message) => (message.json() as { id: number }).id,
  refused: () => new Message(`{"id":"none","text":"x"}`),
};

function at(server: string, change: (url: URL) => void): string {
  const url = new URL(server);
  change(url);
  return url.href;
}

const bad = (server: string): NonNullable<ConnectorFixture["bad"]> => [
  {
    name: "a wrong password",
    side: "input",
    config: { url: at(server, (url) => void (url.password = "wrong")), table: "t" },
  },
  {
    name: "an unknown user",
    side: "output",
    config: { url: at(server, (url) => void (url.username = "nobody")), table: "t" },
  },
  {
    name: "an unknown database",
    side: "input",
    config: { url: at(server, (url) => void (url.pathname = "/nothing")), table: "t" },
  },
  { name: "a table that is not there", side: "output", config: { url: server, table: "not_there" } },
  { name: "a table that is not there, as a source", side: "input", config: { url: server, table: "not_there" } },
  {
    name: "a statement with a fault",
    side: "output",
    config: { url: server, table: "t", insert_query: "INSRT INTO t VALUES (${payload:a})" },
  },
  { name: "an unknown parameter of the URL", side: "output", config: { url: `${server}?sslmoed=require`, table: "t" } },
  {
    name: "COPY with a conflict clause",
    side: "output",
    config: {
      url: server,
      table: "t",
      bulk_copy: true,
      insert_query: "INSERT INTO t (id) VALUES (${payload:id}) ON CONFLICT DO NOTHING",
    },
  },
];

export interface Kind {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>> | ((table: string) => Readonly<Record<string, unknown>>);
  readonly columns: string;
  readonly fixture?: Partial<ConnectorFixture>;
}

const RECORD = "id bigint primary key, text text";

/** The ways of reading and writing tables. */
export const kinds: readonly Kind[] = [
  {
    name: "queue",
    input: { delete_after_read: true },
    output: {},
    columns:
      "id bigserial primary key, payload bytea not null, locked_until timestamptz, created_at timestamptz default now()",
    fixture: { holds: { metadata: false, ids: false } },
  },
  {
    name: "cursor and columns",
    input: { cursor_column: "id", cursor_id: "c" },
    output: { columns: "auto" },
    columns: RECORD,
    fixture: record,
  },
  {
    name: "cursor behind the horizon of open transactions",
    input: { cursor_column: "id", cursor_id: "c", cursor_safety: "snapshot" },
    output: { columns: "auto", key: "id" },
    columns: RECORD,
    fixture: record,
  },
  {
    name: "cursor and a statement that does nothing twice",
    input: { cursor_column: "id", cursor_id: "c" },
    output: (table) => ({
      insert_query: `INSERT INTO ${table} (id, text) VALUES (\${payload:id}, \${payload:text}) ON CONFLICT (id) DO NOTHING`,
    }),
    columns: RECORD,
    fixture: record,
  },
  {
    name: "cursor and COPY",
    input: { cursor_column: "id", cursor_id: "c" },
    output: { columns: "auto", bulk_copy: true },
    columns: RECORD,
    fixture: record,
  },
];

/** One of them on this server. */
export function connectorOn(server: string, kind: Kind, more: Partial<ConnectorFixture> = {}): ConnectorUnderTest {
  const { input, output, columns, fixture } = kind;
  const outputOf = typeof output === "function" ? output : () => output;
  const url = new URL(server);
  return {
    plugin,
    endpoint: "sqlx",
    config: {
      input: { url: server, table: "t", ...input },
      output: { url: server, table: "t", ...outputOf("t") },
    },
    fixture: {
      bad: bad(server),
      server: { host: url.hostname, port: Number(url.port) },
      shares: ["input", "output"],
      ...fixture,
      ...more,
      async fresh() {
        const table = freshName();
        await sql(`CREATE TABLE ${table} (${columns})`, server);
        const sides = (address: string) => ({
          input: { url: address, table, polling_interval_ms: 5, ...input },
          output: { url: address, table, ...outputOf(table) },
        });
        return {
          ...sides(server),
          via: ({ host, port }: Address) =>
            sides(
              at(server, (one) => {
                one.hostname = host;
                one.port = String(port);
              }),
            ),
          cleanup: async () => void (await sql(`DROP TABLE IF EXISTS ${table}, mqb_cursors_${table}`, server)),
        };
      },
    },
  };
}
