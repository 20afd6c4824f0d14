import { randomBytes } from "node:crypto";
import { link, readFile, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { isGone, type ProcessMark, thisProcess } from "../process-mark.ts";

/** Who holds a lock, as written in the lock file. */
interface Holder extends ProcessMark {
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
    const me: Holder = { ...(await thisProcess()), token: randomBytes(8).toString("hex") };
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

async function olderThan(path: string, ms: number): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > ms;
  } catch {
    return false;
  }
}
