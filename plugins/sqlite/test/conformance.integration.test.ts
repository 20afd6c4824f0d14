import { Message } from "@mqb/core/plugin";
import { type ConnectorFixture, TempDir, testConnector, testStateStore } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";

const record: Partial<ConnectorFixture> = {
  holds: { empty: false, bytes: false, oddCharacters: false, large: false, metadata: false, ids: false },
  message: (n) => new Message(JSON.stringify({ id: n, text: `message ${n}` })),
  identify: (message) => (message.json() as { id: number }).id,
  refused: () => new Message("no object"),
};

const bad: ConnectorFixture["bad"] = [
  { name: "a file that is not there", side: "input", config: { url: "sqlite:///nowhere/at/all.db", table: "t" } },
  { name: "a folder that is not there", side: "output", config: { url: "sqlite:///nowhere/at/all.db", table: "t" } },
  { name: "a table name that is none", side: "output", config: { url: "sqlite::memory:", table: "t; drop table t" } },
  { name: "an unknown parameter of the URL", side: "output", config: { url: "sqlite:x.db?vfs=none", table: "t" } },
  { name: "COPY", side: "output", config: { url: "sqlite::memory:", table: "t", columns: "auto", bulk_copy: true } },
  { name: "a table that is not there", side: "output", config: { url: "sqlite::memory:", table: "t" } },
  { name: "a scheme without a package", side: "output", config: { url: "oracle://h/d", table: "t" } },
];

interface Kind {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>>;
  readonly create?: string;
  readonly fixture?: Partial<ConnectorFixture>;
}

const kinds: readonly Kind[] = [
  {
    name: "queue",
    input: { delete_after_read: true },
    output: { auto_create_table: true },
    fixture: { holds: { metadata: false, ids: false } },
  },
  {
    name: "cursor",
    input: { cursor_column: "id", cursor_id: "c" },
    output: { columns: "auto" },
    create: "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)",
    fixture: record,
  },
];

for (const { name, input, output, create, fixture } of kinds) {
  const queueTable =
    "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, payload BLOB NOT NULL, locked_until DATETIME, created_at DATETIME DEFAULT CURRENT_TIMESTAMP)";
  testConnector(
    { describe: (title, body) => describe(`${title}, ${name}`, body), it },
    {
      plugin,
      endpoint: "sqlx",
      config: {
        input: { url: "sqlite:x.db", table: "t", ...input },
        output: { url: "sqlite:x.db", table: "t", ...output },
      },
      fixture: {
        bad,
        ...fixture,
        async fresh() {
          const dir = await TempDir.make();
          const url = `sqlite://${dir.file("records.db")}`;
          const driver = plugin.services?.["sql:sqlite"];
          const context = { path: "", baseDir: dir.path, log: console, signal: new AbortController().signal };
          const settings = { url, create: true, acquireTimeoutMs: 5000 } as Parameters<
            NonNullable<typeof driver>["connect"]
          >[0];
          const database = await driver!.connect(settings, context);
          await database.execute(create ?? queueTable, []);
          await database.close();
          return {
            input: { url, table: "t", polling_interval_ms: 5, ...input },
            output: { url, table: "t", ...output },
            folder: dir.path,
            cleanup: () => dir.remove(),
          };
        },
      },
    },
  );
}

testStateStore(
  { describe, it },
  {
    plugin,
    scheme: "sqlite",
    async fresh() {
      const dir = await TempDir.make();
      return { url: `sqlite://${dir.file("state.db")}`, cleanup: () => dir.remove() };
    },
  },
);
