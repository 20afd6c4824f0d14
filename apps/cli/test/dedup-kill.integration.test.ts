import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { buildCli, startCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

/** MQB_KILLS=50 is the long form. */
const ROUNDS = Number(process.env["MQB_KILLS"] || 8);
const COUNT = 750 * ROUNDS;
/** What a loaded machine takes for each start. */
const TIMEOUT_MS = 15_000 * (ROUNDS + 1);
const BATCH = 20;
const WORKERS = 2;
/** Batches that have arrived and wait for their commit. */
const WAITING = 2;
const path = (name: string): string => join(folder.path, name);
const size = (name: string): number => (existsSync(path(name)) ? statSync(path(name)).size : 0);

/** Each row twice: at once, and in the second half once more. */
const rows = Array.from({ length: COUNT }, (_, n) => `row ${n % (COUNT / 2)}`);

const config = (store: string): string => `routes:
  r:
    exit_on_empty: true
    batch_size: ${BATCH}
    concurrency: ${WORKERS}
    commit_concurrency_limit: ${WAITING}
    input:
      middlewares: [{ deduplication: { store: "${store}", ttl_seconds: 3600, key: "\${message:payload}" } }]
      file: { path: in.txt, format: raw, mode: group_subscribe, group_id: g }
    output:
      file: { path: out.txt, format: raw }
      middlewares: [{ delay: { delay_ms: 3 } }]
`;

it.each(["file:keys", "sled://keys?durable=true"])(
  "keeps every key of what is known to have arrived when it is killed at any moment: %s",
  async (store) => {
    folder.write("config.yml", config(store));
    folder.write("in.txt", `${rows.join("\n")}\n`);
    const args = ["run", "--no-metrics"];
    let killed = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const before = size("out.txt");
      const running = startCli(args, { cwd: folder.path });
      const looking = setInterval(() => {
        if (size("out.txt") === before) return;
        clearInterval(looking);
        setTimeout(() => running.child.kill("SIGKILL"), (round % 8) * 7);
      }, 1);
      if ((await running.done).code === "SIGKILL") killed++;
      clearInterval(looking);
      const { code, stdout } = await folder.mqb(["state", "check"]);
      expect([code, stdout], `after kill ${round}`).toEqual([0, expect.stringMatching(/: (sound|absent)\n/)]);
    }
    expect(killed).toBeGreaterThan(ROUNDS / 2);
    expect(await folder.mqb(args)).toMatchObject({ code: 0 });

    const written = readFileSync(path("out.txt"), "utf8").split("\n").slice(0, -1);
    expect(new Set(written)).toEqual(new Set(rows));
    // What was in flight at each kill may have arrived without its key being stored.
    expect(written.length - COUNT / 2).toBeLessThanOrEqual(killed * BATCH * (WORKERS + WAITING));
  },
  TIMEOUT_MS,
);
