import { execFile } from "node:child_process";
import { promisify } from "node:util";
import pg from "pg";
import type { SinkEnd, SourceEnd, World } from "../pairs/pair.ts";
import type { PrivateServer } from "../servers.ts";

/** Columns of rows that are JSON objects. */
const RECORD = "n bigint PRIMARY KEY, key text NOT NULL, text text NOT NULL";
const QUEUE = "id bigserial PRIMARY KEY, payload bytea NOT NULL, locked_until timestamptz, created_at timestamptz";
const TRIES = 30;

/** A database of a private server, filled by the pg client and read by psql. */
export class PostgresDatabase {
  readonly url: URL;
  private client: pg.Client | undefined;

  private constructor(url: URL) {
    this.url = url;
  }

  static async on(server: PrivateServer, world: World): Promise<PostgresDatabase> {
    const variables = await server.variables();
    const url = new URL([...variables].find(([name]) => name.endsWith("_URL"))![1]);
    url.port = String(server.address.port);
    const database = new PostgresDatabase(url);
    world.defer(() => database.client?.end().catch(() => {}));
    return database;
  }

  /** As the program is told to reach it. */
  through({ host, port }: { readonly host: string; readonly port: number }): string {
    const url = new URL(this.url);
    url.hostname = host;
    url.port = String(port);
    return url.href;
  }

  /** A table with a column for each field of a row. */
  async records(name: string): Promise<{ readonly source: SourceEnd; readonly sink: SinkEnd }> {
    await this.run(`CREATE TABLE ${name} (${RECORD})`);
    const insert = `INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1::json) ON CONFLICT DO NOTHING`;
    return {
      source: { append: async (rows) => void (await this.run(insert, [`[${rows.join(",")}]`])) },
      sink: {
        progress: () => this.number(`SELECT coalesce(max(n), -1) FROM ${name}`),
        arrivals: async () => this.lines(`SELECT '{"n":'||n||',"key":"'||key||'","text":"'||text||'"}' FROM ${name}`),
      },
    };
  }

  async queue(name: string): Promise<SourceEnd> {
    await this.run(`CREATE TABLE ${name} (${QUEUE})`);
    return {
      append: async (rows) =>
        void (await this.run(
          `INSERT INTO ${name} (payload) SELECT convert_to(value, 'UTF8') FROM unnest($1::text[]) AS value`,
          [rows],
        )),
      isEmpty: async () => (await this.number(`SELECT count(*) FROM ${name}`)) === 0,
    };
  }

  /** Whatever the server does meanwhile; a statement that may have run already does nothing twice, or was not answered. */
  private async run(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    for (let tries = 1; ; tries++) {
      try {
        return await (await this.connected()).query(text, values);
      } catch (error) {
        this.client = undefined;
        if (tries === TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  /** -1 while the server is away. */
  private async number(query: string): Promise<number> {
    try {
      const { rows } = await (await this.connected()).query<Record<string, string>>(query);
      return Number(Object.values(rows[0]!)[0]);
    } catch {
      this.client = undefined;
      return -1;
    }
  }

  private async connected(): Promise<pg.Client> {
    if (this.client) return this.client;
    const client = new pg.Client({ connectionString: this.url.href });
    client.on("error", () => {
      if (this.client === client) this.client = undefined;
    });
    await client.connect();
    return (this.client = client);
  }

  private async lines(query: string): Promise<string[]> {
    const args = ["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-c", query, this.url.href];
    const { stdout } = await promisify(execFile)("psql", args, { maxBuffer: 2 ** 30 });
    const lines = stdout.split("\n");
    lines.pop();
    return lines;
  }
}
