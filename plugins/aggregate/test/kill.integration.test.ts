import { fileURLToPath } from "node:url";
import { runProcess, TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("counting-route.ts", import.meta.url));
const WORKSPACE = fileURLToPath(new URL("../../..", import.meta.url));
const KEYS = 7;
/** MQB_KILLS=50 is the long form. */
const KILLS = Number(process.env["MQB_KILLS"] || 4);
const COUNT = 500 * KILLS;
/** Each round starts a process, which takes seconds on a busy machine. */
const TIMEOUT_MS = 60_000 * (KILLS + 1);
/** Messages that one process can have in flight when it is killed. */
const IN_FLIGHT = 20 * 8;

interface Row {
  readonly id: number;
  readonly k: number;
  readonly f: { readonly n: number; readonly ids: number };
  readonly x: number;
}

/** The rows that were written; half a line, left by a kill, is cut off by the next start. */
function rowsOf(text: string): Row[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}

describe.each(["shared", "single_writer"])("states on disk, %s, after a kill -9 at any moment", (consistency) => {
  it.each(["input", "output"])(
    "are whole and have every message, and count again only what was in flight (%s)",
    async (side) => {
      await using dir = await TempDir.make();
      const rows = Array.from({ length: COUNT }, (_, id) => `{"id":${id},"k":${id % KEYS},"all":"all"}\n`);
      await dir.write("in.jsonl", rows.join(""));
      let killed = 0;
      for (let finished = false; !finished; ) {
        const args = ["--conditions=@mqb/source", "--import", "tsx", PROGRAM, dir.path, consistency, side];
        await using child = runProcess({ args, cwd: WORKSPACE });
        await child.line(/^started$/);
        const { signal } = killed < KILLS ? await child.killSomewhere(300) : await child.ended;
        if (signal === "SIGKILL") killed++;
        else {
          expect(child.stderr).toBe("");
          expect(child.stdout).toContain("completed");
          finished = true;
        }
      }
      expect(killed).toBeGreaterThan(0);

      const written = rowsOf(await dir.read("out.jsonl"));
      const states = JSON.parse(await dir.read("states.json")) as Record<string, string>;
      const state = (key: string): string => states[`mqb_aggregate_r/${key}`]!;
      const most = killed * IN_FLIGHT;
      // Nothing is lost: not a message, and not its count.
      expect(new Set(written.map(({ id }) => id)).size).toBe(COUNT);
      expect(written.length).toBeLessThanOrEqual(COUNT + most);
      let counted = 0;
      for (let k = 0; k < KEYS; k++) {
        const [ids, n] = JSON.parse(state(`f:${k}`)) as [number, number];
        const own = written.filter((row) => row.k === k);
        const wanted = rows.map((_, id) => id).filter((id) => id % KEYS === k);
        expect(n).toBeGreaterThanOrEqual(wanted.length);
        expect(ids).toBeGreaterThanOrEqual(wanted.reduce((sum, id) => sum + id, 0));
        // The messages carry what was stored, and never more.
        expect(Math.max(...own.map((row) => row.f.n))).toBe(n);
        counted += n;
      }
      expect(counted).toBeLessThanOrEqual(COUNT + most);
      expect(Number(state("x:all"))).toBe(counted);
      expect(Math.max(...written.map((row) => row.x))).toBe(counted);
    },
    TIMEOUT_MS,
  );
});
