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
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
