import { setTimeout as pause } from "node:timers/promises";
import { integer, type Random } from "../random.ts";
import { type ProcessOptions, runProcess } from "./run-process.ts";

export interface BrokenOffOptions extends ProcessOptions {
  /** How often it is broken off; then it may end. */
  readonly times: number;
  /** Chooses the moments, and between SIGKILL and SIGTERM. */
  readonly random: Random;
  /** A number that changes with what has arrived. Asked for again and again. */
  progress(): Promise<number>;
  /** Called before each run, with its number [nothing]. */
  before?(run: number): Promise<void>;
}

const LOOK_MS = 5;
/** After something has arrived. */
const WITHIN_MS = 60;

/**
 * Runs a program again and again, and breaks it off each time a moment after it has brought something more; the last run
 * ends by itself, with 0. Gives the number of runs that were broken off: one that was quicker had ended before.
 */
export async function runBrokenOff(options: BrokenOffOptions): Promise<number> {
  const { times, random, progress, before, ...process } = options;
  let broken = 0;
  for (let run = 0; ; run++) {
    await before?.(run);
    const start = await progress();
    await using running = runProcess(process);
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    running.ended.then(over, over);
    if (run < times) {
      // With a pause each time: who only waits for a client lets nothing else happen, also not the end of the program.
      do await pause(LOOK_MS);
      while (!isOver && (await progress()) === start);
      await pause(integer(random, 0, WITHIN_MS));
      if (isOver) continue;
      // What is asked to end, and not killed, may end with 0.
      await running.kill(random() < 0.5 ? "SIGKILL" : "SIGTERM");
      broken++;
      continue;
    }
    const { code, signal } = await running.ended;
    if (code === 0) return broken;
    throw new Error(`it ended with ${code ?? signal} by itself\n${running.stdout}${running.stderr}`);
  }
}
