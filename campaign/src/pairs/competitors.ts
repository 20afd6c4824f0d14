import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningProcess, runProcess } from "@mqb/testkit";
import type { World } from "./pair.ts";

const CLI = fileURLToPath(new URL("../../../apps/cli/dist/mqb.cjs", import.meta.url));
const BATCH = 64;
/** Batches that one process may have in flight when it is killed. */
const IN_FLIGHT = 1 + 2;

interface CompetitorsSetup {
  readonly count: number;
  readonly plugins: readonly string[];
  readonly input: object;
  readonly output: object;
}

interface Competitors {
  /** Kills one of them, in turn, and starts it again. */
  disturb(): Promise<void>;
  /** Rows that their ends and reconnects may have made come twice. */
  mayDouble(): number;
}

/** Further processes of the program with the same source and the same sink. */
export function competitors({ count, plugins, input, output }: CompetitorsSetup, world: World): Competitors {
  const config = join(world.folder, "competitor.json");
  const route = { concurrency: 1, batch_size: BATCH, commit_concurrency_limit: 2, reconnect_interval_ms: 100 };
  writeFileSync(config, JSON.stringify({ plugins, routes: { competitor: { ...route, input, output } } }));
  const args = [CLI, "run", "-c", config, "--no-metrics", "--no-ui"];
  const start = (): RunningProcess => runProcess({ args, cwd: world.folder, env: { NO_COLOR: "1" } });
  const running = Array.from({ length: count }, start);
  let disturbed = 0;
  let reconnects = 0;
  const end = async (one: RunningProcess): Promise<void> => {
    await one.kill("SIGKILL");
    reconnects += `${one.stdout}${one.stderr}`.match(/next try in \d+ ms/g)?.length ?? 0;
  };
  world.defer(() => Promise.all(running.map(end)));
  const now = (): number =>
    running.reduce((sum, one) => sum + (`${one.stdout}${one.stderr}`.match(/next try in \d+ ms/g)?.length ?? 0), 0);
  return {
    async disturb() {
      const at = disturbed++ % count;
      await end(running[at]!);
      running[at] = start();
    },
    mayDouble: () => (disturbed + reconnects + now()) * IN_FLIGHT * BATCH,
  };
}
