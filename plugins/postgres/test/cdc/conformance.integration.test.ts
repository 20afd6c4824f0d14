import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Message } from "@mqb/core/plugin";
import { type Address, type ConnectorFixture, eventually, testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../../src/index.ts";
import { freshName, SERVER, SPARE, sql } from "../server.ts";

const services = fileURLToPath(new URL("../../../../scripts/services", import.meta.url));

function through(url: string, { host, port }: Address): string {
  const other = new URL(url);
  other.hostname = host;
  other.port = String(port);
  return other.href;
}

function at(change: (url: URL) => void): string {
  const url = new URL(SERVER);
  change(url);
  return url.href;
}

const bad: NonNullable<ConnectorFixture["bad"]> = [
  ["a wrong password", { url: at((url) => void (url.password = "wrong")), publication: "p" }],
  ["an unknown user", { url: at((url) => void (url.username = "nobody")), publication: "p" }],
  ["no user", { url: at((url) => void (url.username = "")), publication: "p" }],
  ["an unknown database", { url: at((url) => void (url.pathname = "/nothing")), publication: "p" }],
  ["a publication that is not there", { url: SERVER, publication: "not_there" }],
  ["a publication with a quote in its name", { url: SERVER, publication: `p"; DROP TABLE t` }],
  ["a slot name of upper case", { url: SERVER, publication: "p", slot_name: "Slot" }],
  [
    "a table that cannot be one",
    { url: SERVER, publication: "p", create_publication: true, publication_tables: ["a.b.c"] },
  ],
  ["tables without create_publication", { url: SERVER, publication: "p", publication_tables: ["a"] }],
  ["a temporary slot behind rows", { url: SERVER, publication: "p", consume: "capture_all", temporary_slot: true }],
].map(([name, config]) => ({ name: name as string, side: "input" as const, config }));

function fixtureAt(server: string, more: Partial<ConnectorFixture>): ConnectorFixture {
  const { hostname, port } = new URL(server);
  return {
    bad,
    server: { host: hostname, port: Number(port) },
    noticesSilence: true,
    holds: { empty: false, bytes: false, oddCharacters: false, large: false, metadata: false, ids: false },
    message: (n) => new Message(JSON.stringify({ id: n, text: `message ${n}` })),
    identify: (message) => (message.json() as { id: number }).id,
    async fresh() {
      const name = freshName("cdc");
      await sql(
        `CREATE TABLE ${name} (id bigint PRIMARY KEY, text text); CREATE PUBLICATION ${name} FOR TABLE ${name}`,
        server,
      );
      await sql(`SELECT pg_create_logical_replication_slot('${name}', 'pgoutput')`, server);
      const config = (url: string) => ({
        input: { url, publication: name, slot_name: name, create_slot: false, status_interval_ms: 500 },
      });
      return {
        ...config(server),
        via: (address) => config(through(server, address)),
        async seed(messages) {
          const rows = JSON.stringify(messages.map((message) => message.json()));
          await sql(`INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, '${rows}')`, server);
        },
        async cleanup() {
          const of = `FROM pg_replication_slots WHERE slot_name = '${name}'`;
          await eventually(async () => {
            await sql(`SELECT pg_terminate_backend(active_pid) ${of}`, server);
            await sql(`SELECT pg_drop_replication_slot(slot_name) ${of} AND active_pid IS NULL`, server).catch(
              () => {},
            );
            return (await sql(`SELECT count(*) ${of}`, server))[0]![0] === "0";
          }, "the end of the slot");
          await sql(`DROP PUBLICATION ${name}; DROP TABLE ${name}`, server);
        },
      };
    },
    ...more,
  };
}

const run = { describe: (title: string, body: () => void) => describe(title, body), it };

testConnector(run, {
  plugin,
  endpoint: "postgres_cdc",
  config: { input: { url: SERVER, publication: "p" } },
  fixture: fixtureAt(SERVER, {}),
});

const service = (verb: string) => async (): Promise<void> => {
  await promisify(execFile)(services, [verb, "postgres-spare"]);
};

testConnector(
  { describe: (title, body) => describe(`${title}, with a server that comes and goes`, body), it },
  {
    plugin,
    endpoint: "postgres_cdc",
    config: { input: { url: SPARE, publication: "p" } },
    fixture: fixtureAt(SPARE, {
      patienceMs: 30_000,
      restart: service("restart"),
      async kill() {
        await service("kill")();
        await service("up")();
      },
    }),
  },
);
