import { Message, systemClock } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { type Address, type ConnectorFixture, fakeContext, TempDir } from "@mqb/testkit";
import { cdcSchema } from "../../src/cdc/config.ts";
import { pinCdc } from "../../src/cdc/open.ts";
import plugin from "../../src/index.ts";
import { freshName, SERVER, sql } from "../server.ts";

function at(server: string, change: (url: URL) => void): string {
  const url = new URL(server);
  change(url);
  return url.href;
}

const STORE = { cursor_id: "c", checkpoint_store: "state.json" };

export const bad: NonNullable<ConnectorFixture["bad"]> = [
  ["a wrong password", { url: at(SERVER, (url) => void (url.password = "wrong")), ...STORE }],
  ["an unknown user", { url: at(SERVER, (url) => void (url.username = "nobody")), ...STORE }],
  ["an unknown database", { url: at(SERVER, (url) => void (url.pathname = "/nothing")), ...STORE }],
  ["no database", { url: at(SERVER, (url) => void (url.pathname = "")), ...STORE }],
  ["a table that is not there", { url: SERVER, tables: ["not_there"], ...STORE }],
  ["a table that cannot be one", { url: SERVER, tables: ["a.b.c"], ...STORE }],
  ["no tables at all", { url: SERVER, tables: [], ...STORE }],
  ["no place for the position", { url: SERVER, cursor_id: "c" }],
  ["no name for the position", { url: SERVER, checkpoint_store: "state.json" }],
  ["a number that no server has", { url: SERVER, server_id: 0, ...STORE }],
].map(([name, config]) => ({ name: name as string, side: "input" as const, config }));

/** The suite knows no other plugin than the one that it is for; the positions are kept in files. */
export const withFiles = { ...plugin, stores: { ...plugin.stores, file: standard.stores!["file"]! } };

/** Stores where the log ends now. */
export function pin(options: Readonly<Record<string, unknown>>): Promise<void> {
  return pinCdc(cdcSchema.parse(options), fakeContext({ clock: systemClock, plugins: [standard, plugin] }));
}

/** Tables of a server whose changes are captured. */
export function fixtureAt(server: string, more: Partial<ConnectorFixture> = {}): ConnectorFixture {
  const { hostname, port } = new URL(server);
  return {
    bad,
    server: { host: hostname, port: Number(port) },
    noticesSilence: true,
    holds: { empty: false, bytes: false, oddCharacters: false, large: false, metadata: false, ids: false },
    message: (n) => new Message(JSON.stringify({ id: n, text: `message ${n}` })),
    identify: (message) => (message.json() as { id: number }).id,
    async fresh() {
      const table = freshName("cdc");
      await sql(`CREATE TABLE ${table} (id BIGINT PRIMARY KEY, text TEXT)`, server);
      const dir = await TempDir.make();
      const config = (url: string) => ({
        input: { url, tables: [table], cursor_id: table, checkpoint_store: dir.file("state.json"), heartbeat_ms: 200 },
      });
      // Read from here on, whenever it is opened first.
      await pin(config(server).input);
      return {
        ...config(server),
        via: ({ host, port: other }: Address) =>
          config(
            at(server, (url) => {
              url.hostname = host;
              url.port = String(other);
            }),
          ),
        async seed(messages) {
          const values = messages.map((message) => {
            const { id, text } = message.json() as { id: number; text: string };
            return `(${id}, '${text}')`;
          });
          await sql(`INSERT INTO ${table} VALUES ${values.join(", ")}`, server);
        },
        async cleanup() {
          await sql(`DROP TABLE ${table}`, server);
          await dir.remove();
        },
      };
    },
    ...more,
  };
}
