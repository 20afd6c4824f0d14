import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import type { SourceEnd } from "../pairs/pair.ts";
import type { PrivateServer } from "../servers.ts";

/** Columns of rows that are JSON objects. */
const RECORD = "`n` bigint PRIMARY KEY, `key` varchar(16) NOT NULL, `text` varchar(255) NOT NULL";
const TRIES = 30;
const PAUSE_MS = 200;

interface Row {
  readonly n: number;
  readonly key: string;
  readonly text: string;
}

/** A database of a private server, filled by the server's own command line client. */
export class MariadbDatabase {
  private readonly url: URL;

  private constructor(url: URL) {
    this.url = url;
  }

  static async on(server: PrivateServer): Promise<MariadbDatabase> {
    const variables = await server.variables();
    const url = new URL([...variables].find(([name]) => name.endsWith("_URL"))![1]);
    url.port = String(server.address.port);
    return new MariadbDatabase(url);
  }

  /** As the program is told to reach it. */
  through({ host, port }: { readonly host: string; readonly port: number }): string {
    const url = new URL(this.url);
    url.hostname = host;
    url.port = String(port);
    return url.href;
  }

  /** A table with a column for each field of a row. `together`: so many rows are committed at once. */
  async records(name: string, together: number): Promise<SourceEnd> {
    await this.run(`CREATE TABLE \`${name}\` (${RECORD}) ENGINE=InnoDB;`);
    return {
      append: async (rows) => {
        let statements = "";
        // What a try has brought in before it failed is left out by the next one, also in the log.
        for (let at = 0; at < rows.length; at += together)
          statements += `INSERT IGNORE INTO \`${name}\` VALUES ${rows
            .slice(at, at + together)
            .map(values)
            .join(",")};\n`;
        await this.run(statements);
      },
    };
  }

  /** Whatever the server does meanwhile. */
  private async run(statements: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.client(statements);
      } catch (error) {
        if (tries === TRIES) throw error;
        await wait(PAUSE_MS);
      }
    }
  }

  private client(statements: string): Promise<void> {
    const { url } = this;
    const args = ["--no-defaults", "--protocol=TCP", `--host=${url.hostname}`, `--port=${url.port}`];
    args.push(`--user=${url.username}`, "--batch", url.pathname.slice(1));
    const env = { ...process.env, MYSQL_PWD: decodeURIComponent(url.password) };
    return new Promise((resolve, reject) => {
      const child = spawn("mariadb", args, { env, stdio: ["pipe", "ignore", "pipe"] });
      let said = "";
      child.stderr.on("data", (chunk: Buffer) => (said += chunk));
      child.on("error", reject);
      child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`mariadb ended with ${code}: ${said}`))));
      // One that has ended does not read on; its end says why.
      child.stdin.on("error", () => {});
      child.stdin.end(statements);
    });
  }
}

/** Keys and texts are letters, digits and hyphens. */
function values(text: string): string {
  const row = JSON.parse(text) as Row;
  return `(${row.n},'${row.key}','${row.text}')`;
}
