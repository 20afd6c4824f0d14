import { readFile } from "node:fs/promises";
import { hostname } from "node:os";

/** What tells a process from all others, so that somebody else can see whether it still lives. */
export interface ProcessMark {
  readonly pid: number;
  readonly host: string;
  /** When the process started, where the system tells; a pid may be given to another process later. */
  readonly started: string | undefined;
}

export async function thisProcess(): Promise<ProcessMark> {
  return { pid: process.pid, host: hostname(), started: await startOf(process.pid) };
}

/** Whether the process is known to have ended: one of another host never is. */
export async function isGone({ pid, host, started }: ProcessMark): Promise<boolean> {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
  const now = await startOf(pid);
  if (now === GONE) return true;
  return started !== undefined && now !== undefined && now !== started;
}

const GONE = "gone";

/** When a process started, in the system's own unit; undefined where the system does not tell. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    const fields = await readFile(`/proc/${pid}/stat`, "utf8");
    // The second field is a name in brackets that may hold blanks; the start is the 22nd.
    const rest = fields.slice(fields.lastIndexOf(")") + 2).split(" ");
    // Killed, and nobody has asked for its end yet: in a container whose first process never does, it stays for ever.
    return rest[0] === "Z" || rest[0] === "X" ? GONE : rest[19];
  } catch {
    return undefined;
  }
}
