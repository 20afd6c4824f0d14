import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProcess } from "@mqb/testkit";
import { fileSink } from "../ends/file.ts";
import { MariadbDatabase } from "../ends/mariadb.ts";
import { PrivateServer, proxyTo } from "../servers.ts";
import { type Pair, pluginFolder, type World } from "./pair.ts";

const CLI = fileURLToPath(new URL("../../../apps/cli/dist/mqb.cjs", import.meta.url));
/** Statements cost more than lines of a file. */
const SHARE = 0.4;
/** Rows that are committed together: a process that is killed reads the transaction again in which it was. */
const TOGETHER = 10;

export const mysqlCdcToFile: Pair = {
  name: "mysql-cdc-file",
  needs: ["mariadb"],
  async open(world) {
    const server = await PrivateServer.start("mariadb", world);
    const database = await MariadbDatabase.on(server);
    const rows = await database.records("rows", TOGETHER);
    const source = await proxyTo(server.address, world);
    const path = join(world.folder, "out.jsonl");
    const plugins = [pluginFolder("mysql")];
    const input = {
      mysql_cdc: {
        url: database.through(source.address),
        tables: ["rows"],
        cursor_id: "campaign",
        checkpoint_store: `file://${join(world.folder, "position.json")}`,
        heartbeat_ms: 1000,
      },
    };
    const output = { file: { path, format: "raw" } };
    await beginHere({ plugins, input, output }, world);
    return {
      plugins,
      input,
      output,
      concurrency: 1,
      share: SHARE,
      source: rows,
      sink: fileSink(path),
      faults: { source, servers: [server] },
      order: "all",
      mayDouble: true,
    };
  },
};

/** Without a stored position changes are read from the first start on: the route is started once before the first row. */
async function beginHere(
  { plugins, input, output }: { readonly plugins: readonly string[]; readonly input: object; readonly output: object },
  { folder, defer }: World,
): Promise<void> {
  const config = join(folder, "begin.json");
  writeFileSync(config, JSON.stringify({ plugins, routes: { begin: { input, output } } }));
  const args = [CLI, "run", "-c", config, "--no-metrics", "--no-ui", "--drain"];
  const first = runProcess({ args, cwd: folder, env: { NO_COLOR: "1" } });
  defer(() => first.kill());
  const { code, signal } = await first.ended;
  if (code !== 0) throw new Error(`the first start ended with ${code ?? signal}: ${first.stdout}${first.stderr}`);
}
