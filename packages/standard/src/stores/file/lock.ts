import { randomBytes } from "node:crypto";
import { link, readFile, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

/** Who holds a lock, as written in the lock file. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, where the system tells; a pid may be given to another process later. */
  readonly started: string | undefined;
  readonly token: string;
}

/** A file beside the locked one keeps its writers apart, also those of other processes. It is held for one write. */
export class FileLock {
  private readonly path: string;

  constructor(lockedPath: string) {
    this.path = `${lockedPath}.lock`;
  }

  /** Waits at most `ms` for the lock. Returns the function that gives it back, or who holds it. */
  async acquire(ms: number): Promise<{ release(): Promise<void> } | { readonly holder: string }> {
    const own = `${this.path}.${process.pid}.${randomBytes(8).toString("hex")}.tmp`;
    const me: Holder = {
      pid: process.pid,
      host: hostname(),
      started: await startOf(process.pid),
      token: randomBytes(8).toString("hex"),
    };
    await writeFile(own, JSON.stringify(me), { flag: "wx" });
    try {
      let holder = "";
      const got = await this.until(ms, async () => {
        if (await linked(own, this.path)) return true;
        holder = await this.look();
        return false;
      });
      return got ? { release: () => rm(this.path, { force: true }) } : { holder };
    } finally {
      await rm(own, { force: true });
    }
  }

  /** Waits at most `ms` until nobody holds the lock. Returns who still does. */
  async free(ms: number): Promise<string | undefined> {
    let holder = "";
    const free = await this.until(ms, async () => {
      holder = await this.look();
      return holder === "";
    });
    return free ? undefined : holder;
  }

  /** Who holds the lock, or nothing. The lock of a process that is gone is removed. */
  private async look(): Promise<string> {
    const holder = await this.read();
    if (holder === undefined) return "";
    if (holder === "unreadable") return "an unknown process";
    if (!(await isGone(holder))) return `process ${holder.pid} on ${holder.host}`;
    await this.breakLock(holder);
    return "";
  }

  /** Of all who find the same abandoned lock only one may remove it, or it would remove the next one's. */
  private async breakLock(abandoned: Holder): Promise<void> {
    const guard = `${this.path}.break`;
    try {
      await writeFile(guard, "", { flag: "wx" });
    } catch {
      // Whoever made the guard needs it for moments only, unless it died just then.
      if (await olderThan(guard, ABANDONED_MS)) await rm(guard, { force: true });
      return;
    }
    try {
      const now = await this.read();
      if (typeof now === "object" && now.token === abandoned.token) await rm(this.path, { force: true });
    } finally {
      await rm(guard, { force: true });
    }
  }

  private async read(): Promise<Holder | "unreadable" | undefined> {
    let text: string;
    try {
      text = await readFile(this.path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
    try {
      const holder = JSON.parse(text) as Partial<Holder> | null;
      if (typeof holder?.pid === "number" && typeof holder.host === "string") return holder as Holder;
    } catch {
      // Somebody else's file; below.
    }
    return "unreadable";
  }

  /** Tries until it works, at most `ms`, with pauses that keep several waiters out of step. */
  private async until(ms: number, attempt: () => Promise<boolean>): Promise<boolean> {
    const end = performance.now() + ms;
    for (let longest = 2; ; longest = Math.min(longest * 2, 50)) {
      if (await attempt()) return true;
      if (performance.now() >= end) return false;
      await pause(1 + Math.random() * longest);
    }
  }
}

const ABANDONED_MS = 5_000;

/** Makes the lock file in one step, with its content. Returns false when there is one. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
  }
  // A file system without hard links.
  try {
    await writeFile(to, await readFile(from), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function isGone({ pid, host, started }: Holder): Promise<boolean> {
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

async function olderThan(path: string, ms: number): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > ms;
  } catch {
    return false;
  }
}
