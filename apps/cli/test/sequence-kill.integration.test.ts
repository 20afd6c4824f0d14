import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { randomFrom } from "@mqb/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, startCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

const ROWS = 1_500;
const BATCH = 100;
const WORKERS = 2;
const COMMITS = 4;
/** Rows that one kill may make come twice: of the batches that were written or waited for their commit. */
const IN_FLIGHT = (WORKERS + COMMITS) * BATCH;
/** The share of a phase behind which a kill might come too late for it. */
const LATEST = 0.8;
const ROW_BYTES = "p0 00000\n".length;
const TIMEOUT_MS = 240_000;

const path = (name: string): string => join(folder.path, name);
const row = (phase: number, n: number): string => `p${phase} ${String(n).padStart(5, "0")}`;

/** The first phase keeps no position, the others theirs: what comes twice differs, what is lost must not. */
const CONFIG = `routes:
  r:
    exit_on_empty: true
    batch_size: ${BATCH}
    concurrency: ${WORKERS}
    commit_concurrency_limit: ${COMMITS}
    input:
      sequence:
        cursor_id: backfill
        checkpoint_store: file:phase.json
        endpoints:
          - file: { path: in0.txt, format: raw }
          - file: { path: in1.txt, format: raw, mode: group_subscribe, group_id: g }
          - file: { path: in2.txt, format: raw, mode: group_subscribe, group_id: g }
    output:
      file: { path: out.txt, format: raw }
      middlewares: [{ delay: { delay_ms: 80 } }]
`;

/** When a process is killed: so many milliseconds after a row is in the output, or a phase in the checkpoint. */
interface Point {
  readonly phase: number;
  readonly at: number | "handover";
  readonly afterMs: number;
}

/** In every phase at its beginning, and twice within; where the next one begins, and at the end of the last one. */
function pointsOf(random: () => number): Point[] {
  return [0, 1, 2].flatMap((phase): Point[] => {
    const within = [random(), random()].sort((a, b) => a - b).map((share) => Math.floor(share * LATEST * ROWS));
    const rows = [0, ...within].map((at): Point => ({ phase, at, afterMs: Math.floor(random() * 40) }));
    const end: Point = { phase, at: phase < 2 ? "handover" : ROWS - 1, afterMs: Math.floor(random() * 4) };
    return [...rows, end];
  });
}

/** Twelve kills each; MQB_KILLS=50 is the long form. */
const SEEDS = Array.from({ length: Math.ceil(Number(process.env["MQB_KILLS"] || 24) / 12) }, (_, i) => 1 + i * 20_259);

describe.each(SEEDS)("a sequence with its state on disk, killed at points from the seed %i", (seed) => {
  it("goes on in the phase that it had reached: nothing is lost, and only what was in flight comes twice", {
    timeout: TIMEOUT_MS,
  }, async () => {
    folder.write("config.yml", CONFIG);
    for (const phase of [0, 1, 2]) {
      folder.write(`in${phase}.txt`, Array.from({ length: ROWS }, (_, n) => `${row(phase, n)}\n`).join(""));
    }
    const killedIn = [0, 0, 0];
    for (const point of pointsOf(randomFrom(seed))) {
      const reached = phaseOnDisk();
      const running = startCli(["run", "--no-metrics"], { cwd: folder.path });
      const looking = setInterval(() => {
        if (!isReached(point)) return;
        clearInterval(looking);
        setTimeout(() => running.child.kill("SIGKILL"), point.afterMs);
      }, 1);
      const { code, stderr } = await running.done;
      clearInterval(looking);
      const about = `${JSON.stringify(point)} of seed ${seed}\n${stderr}`;
      expect(["SIGKILL", 0], about).toContain(code);
      // The checkpoint is whole, and never behind what it was.
      expect(phaseOnDisk(), about).toBeGreaterThanOrEqual(reached);
      if (code === "SIGKILL") killedIn[phaseInOutput()]! += 1;
    }
    expect(
      killedIn.every((kills) => kills > 1),
      `kills by phase: ${killedIn.join(", ")}`,
    ).toBe(true);
    expect(await folder.mqb(["state", "check"])).toMatchObject({ code: 0 });
    expect(await folder.mqb(["run", "--no-metrics"])).toMatchObject({ code: 0 });

    const written = readFileSync(path("out.txt"), "utf8").split("\n").slice(0, -1);
    const wanted = [0, 1, 2].flatMap((phase) => Array.from({ length: ROWS }, (_, n) => row(phase, n)));
    expect(new Set(written)).toEqual(new Set(wanted));
    const phases = written.map((text) => Number(text[1]));
    expect(phases, "a phase that was left comes again").toEqual([...phases].sort());
    const counts = [0, 1, 2].map((phase) => phases.filter((one) => one === phase).length);
    // Without a position the whole phase is read again, with each kill in it; its end may not be on disk at a handover.
    expect(counts[0]).toBeLessThanOrEqual(ROWS * (killedIn[0]! + 1));
    for (const phase of [1, 2]) expect(counts[phase]).toBeLessThanOrEqual(ROWS + killedIn[phase]! * IN_FLIGHT);
  });
});

function isReached({ phase, at }: Point): boolean {
  if (at === "handover") return phaseOnDisk() > phase;
  const last = lastRow();
  if (last === undefined) return false;
  return last.phase > phase || (last.phase === phase && last.n >= at);
}

/** The phase in the checkpoint; 0 while there is none. */
function phaseOnDisk(): number {
  if (!existsSync(path("phase.json"))) return 0;
  const { "sequence:backfill": entry } = JSON.parse(readFileSync(path("phase.json"), "utf8")) as Record<
    string,
    unknown
  >;
  const [, digit] = /(\d) file,file,file/.exec(JSON.stringify(entry ?? "0 file,file,file")) ?? [];
  return Number(digit);
}

function phaseInOutput(): number {
  return lastRow()?.phase ?? 0;
}

/** The last whole row of the output. */
function lastRow(): { readonly phase: number; readonly n: number } | undefined {
  const size = existsSync(path("out.txt")) ? statSync(path("out.txt")).size : 0;
  const tail = Buffer.alloc(Math.min(size, 2 * ROW_BYTES));
  const file = size > 0 ? openSync(path("out.txt"), "r") : undefined;
  if (file === undefined) return undefined;
  readSync(file, tail, 0, tail.length, size - tail.length);
  closeSync(file);
  const [, phase, n] = /p(\d) (\d{5})\n[^\n]*$/.exec(tail.toString()) ?? [];
  return n === undefined ? undefined : { phase: Number(phase), n: Number(n) };
}
