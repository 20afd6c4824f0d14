import { readFileSync } from "node:fs";

/** A process, told apart from a later one with the same pid. */
export interface ProcessMark {
  readonly pid: number;
  /** When it began, in Unix milliseconds. */
  readonly began: number;
}

export function thisProcess(): ProcessMark {
  return { pid: process.pid, began: Math.round(performance.timeOrigin) };
}

/** Whether the process runs still. One whose pid cannot be seen from here, in another container, counts as gone. */
export function isAlive({ pid, began }: ProcessMark): boolean {
  const own = thisProcess();
  if (pid === own.pid) return began === own.began;
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** It was killed, and nobody has asked for its end yet: in a container whose first process never does, it stays for ever. */
function isZombie(pid: number): boolean {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Behind the name in brackets, which may hold blanks.
    return /^[ZX]/.test(fields.slice(fields.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
