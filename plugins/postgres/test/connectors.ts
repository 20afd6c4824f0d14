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

function at(change: (url: URL) => void): string {
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
