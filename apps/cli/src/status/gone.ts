import { readFileSync } from "node:fs";
import type { InstanceRecord } from "./record.ts";

/** Clocks are set, and a process begins a little before it can announce itself. */
const TOLERANCE_MS = 2000;
/** What /proc counts time in, on every Linux. */
const TICKS_PER_SECOND = 100;

/**
 * Whether the process of a record has ended without taking its record back, as one that was killed does. Its pid may be
 * another process's by now: one that began after the record was first written. False where the system does not tell.
 */
export function isGone({ pid, started_at_ms: announced }: Pick<InstanceRecord, "pid" | "started_at_ms">): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
  }
  const found = look(pid);
  return found === "dead" || (found !== undefined && found > announced + TOLERANCE_MS);
}

/** When a process began, in Unix milliseconds; `dead` when it was killed and nobody has asked for its end yet. */
function look(pid: number): number | "dead" | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is a name in brackets that may hold blanks; the start is the 22nd.
    const rest = fields.slice(fields.lastIndexOf(")") + 2).split(" ");
    if (rest[0] === "Z" || rest[0] === "X") return "dead";
    const booted = /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "latin1"))?.[1];
    return booted === undefined ? undefined : 1000 * (Number(booted) + Number(rest[19]) / TICKS_PER_SECOND);
  } catch {
    return undefined;
  }
}
