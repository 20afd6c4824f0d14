import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Message } from "@mqb/core/plugin";
import {
  type Address,
  type ConnectorFixture,
  type ConnectorUnderTest,
  testConnector,
  testStateStore,
} from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";
import { freshDatabase, freshName, SERVER, SPARE, sql } from "./server.ts";

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

const bad: ConnectorFixture["bad"] = [
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

interface Kind {
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

const kinds: readonly Kind[] = [
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

function tested(server: string, { input, output, columns, fixture }: Kind): ConnectorUnderTest {
  const url = new URL(server);
  return {
    plugin,
    endpoint: "sqlx",
    config: { input: { url: server, table: "t", ...input }, output: { url: server, table: "t", ...output("t") } },
    fixture: {
      server: { host: url.hostname, port: Number(url.port) },
      shares: ["input", "output"],
      ...fixture,
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

for (const kind of kinds) {
  const runner = { describe: (title: string, body: () => void) => describe(`${title}, ${kind.name}`, body), it };
  const subject = tested(SERVER, kind);
  testConnector(runner, { ...subject, fixture: { ...subject.fixture, bad } });
}

const services = fileURLToPath(new URL("../../../scripts/services", import.meta.url));
const service = async (verb: string): Promise<void> => {
  await promisify(execFile)(services, [verb, "mariadb-spare"]);
};

// What the other server has shown already is not shown again.
const disturbing = Object.assign(
  ((name: string, ...rest: readonly unknown[]) => {
    if (/server that is|restart of the server/.test(name) && !name.startsWith("left out"))
      Reflect.apply(it, undefined, [name, ...rest]);
  }) as typeof it,
  it,
);

describe("a server that is stopped and killed", () => {
  for (const kind of kinds.slice(0, 2)) {
    const subject = tested(SPARE, kind);
    const fixture = {
      ...subject.fixture,
      restart: () => service("restart"),
      kill: async () => {
        await service("kill");
        await service("up");
      },
      timeoutMs: 90_000,
    };
    const named = (title: string, body: () => void) => describe(`${title}, ${kind.name}`, body);
    testConnector({ describe: named, it: disturbing }, { ...subject, fixture });
  }
});

testStateStore(
  { describe, it },
  {
    plugin,
    scheme: "mysql",
    async fresh() {
      const database = await freshDatabase();
      return { url: database.url, cleanup: () => database.drop() };
    },
  },
);
