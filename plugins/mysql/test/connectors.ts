import { Message } from "@mqb/core/plugin";
import type { Address, ConnectorFixture, ConnectorUnderTest } from "@mqb/testkit";
import plugin from "../src/index.ts";
import { freshName, SERVER, sql } from "./server.ts";

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

export const bad: NonNullable<ConnectorFixture["bad"]> = [
  {
    name: "a wrong password",
    side: "input",
    config: { url: at(SERVER, (url) => void (url.password = "wrong")), table: "t" },
  },
  {
    name: "an unknown user",
    side: "output",
    config: { url: at(SERVER, (url) => void (url.username = "nobody")), table: "t" },
  },
  {
    name: "an unknown database",
    side: "input",
    config: { url: at(SERVER, (url) => void (url.pathname = "/nothing")), table: "t" },
  },
  {
    name: "no database",
    side: "input",
    config: { url: at(SERVER, (url) => void (url.pathname = "")), table: "t" },
  },
  { name: "a table that is not there", side: "output", config: { url: SERVER, table: "not_there" } },
  { name: "a table that is not there, as a source", side: "input", config: { url: SERVER, table: "not_there" } },
  {
    name: "a statement with a fault",
    side: "output",
    config: { url: SERVER, table: "t", insert_query: "INSRT INTO t VALUES (${payload:a})" },
  },
  {
    name: "a statement with a question mark of its own",
    side: "output",
    config: { url: SERVER, table: "t", insert_query: "INSERT INTO mysql.plugin VALUES (${payload:a}, ?)" },
  },
  {
    name: "an unknown parameter of the URL",
    side: "output",
    config: { url: `${SERVER}?ssl-moed=REQUIRED`, table: "t" },
  },
  { name: "an unknown mode of TLS", side: "output", config: { url: `${SERVER}?ssl-mode=perhaps`, table: "t" } },
  { name: "COPY", side: "output", config: { url: SERVER, table: "t", columns: "auto", bulk_copy: true } },
  {
    name: "a lookup that gives nothing",
    side: "output",
    config: { url: SERVER, table: "t", lookup_query: "DELETE FROM mysql.plugin WHERE name = ${payload:a}" },
  },
];

export interface Kind {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: (table: string) => Readonly<Record<string, unknown>>;
  readonly columns: string;
  readonly fixture?: Partial<ConnectorFixture>;
}

const RECORD = "id BIGINT PRIMARY KEY, text TEXT";
const QUEUE =
  "id BIGINT AUTO_INCREMENT PRIMARY KEY, payload LONGBLOB NOT NULL, locked_until DATETIME(6), created_at DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6)";

const queue: Kind = {
  name: "queue",
  input: { delete_after_read: true },
  output: () => ({}),
  columns: QUEUE,
  fixture: { holds: { metadata: false, ids: false } },
};

export const kinds: readonly Kind[] = [
  queue,
  {
    name: "cursor and columns",
    input: { cursor_column: "id", cursor_id: "c" },
    output: () => ({ columns: "auto" }),
    columns: RECORD,
    fixture: record,
  },
  {
    name: "cursor and a statement",
    input: { cursor_column: "id", cursor_id: "c" },
    output: (table) => ({
      insert_query: `INSERT INTO ${table} (id, text) VALUES (\${payload:id}, \${payload:text}) ON DUPLICATE KEY UPDATE text = VALUES(text)`,
    }),
    columns: RECORD,
    fixture: record,
  },
];

/** One of them on this server. */
export function connectorOn(
  server: string,
  { input, output, columns, fixture }: Kind,
  more: Partial<ConnectorFixture> = {},
): ConnectorUnderTest {
  const url = new URL(server);
  return {
    plugin,
    endpoint: "sqlx",
    config: { input: { url: server, table: "t", ...input }, output: { url: server, table: "t", ...output("t") } },
    fixture: {
      server: { host: url.hostname, port: Number(url.port) },
      shares: ["input", "output"],
      ...fixture,
      ...more,
      async fresh() {
        const table = freshName();
        await sql(`CREATE TABLE ${table} (${columns})`, server);
        const sides = (address: string) => ({
          input: { url: address, table, polling_interval_ms: 5, ...input },
          output: { url: address, table, ...output(table) },
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
