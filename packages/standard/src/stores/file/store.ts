import { mkdir, readFile, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock, StateEntry, StateStore, StateWrite, StoreDefinition, WriteResult } from "@mqb/core/plugin";
import { isMqbError } from "@mqb/core/plugin";
import { errors } from "../../errors.ts";
import { type Entries, formatDocument, parseDocument } from "./document.ts";
import { type FileEntry, makeEntry, succeed } from "./entry.ts";
import { locate } from "./location.ts";
import { FileLock } from "./lock.ts";
import { probeStore } from "./probe.ts";
import { removeLeftovers, replaceFile } from "./replace.ts";

export const fileStore: StoreDefinition = {
  description: "Keeps entries in one JSON file, which is replaced as a whole by every write; for few entries",
  durable: true,
  open: (url, { clock, baseDir }) => openFile(locate(url, baseDir), clock),
  probe: (url, { baseDir }) => probeStore(locate(url, baseDir)),
};

/** How long to wait for the lock of a file, in milliseconds. */
export interface LockPatience {
  readonly open: number;
  readonly write: number;
}

/** Opens the store in a file; makes nothing on the disk before the first write. */
export async function openFile(
  written: string,
  clock: Clock,
  patience: LockPatience = { open: 2_000, write: 10_000 },
): Promise<StateStore> {
  const path = await realPath(written);
  const lock = new FileLock(path);
  const store = new FileStore(path, lock, clock, patience.write);
  await store.load();
  const holder = await lock.free(patience.open);
  if (holder !== undefined) throw errors.STORE_LOCKED({ path, holder });
  return store;
}

/** What was in the file, and how to tell whether it still is. */
interface Snapshot {
  readonly entries: Entries;
  readonly stamp: string;
}

const ABSENT = "absent";

interface Job {
  /** Changes the entries; called with the lock held. Returns whether it changed any. */
  apply(entries: Map<string, FileEntry>): boolean;
  done(): void;
  fail(error: unknown): void;
}

/**
 * State in a JSON file that several handles, also of several processes, may share: every write happens with a lock, on what
 * is in the file then. Calls that arrive during a write are written together by the next one.
 */
class FileStore implements StateStore {
  private readonly path: string;
  private readonly lock: FileLock;
  private readonly clock: Clock;
  private readonly lockWaitMs: number;
  private snapshot: Snapshot = { entries: new Map(), stamp: ABSENT };
  private jobs: Job[] = [];
  private working: Promise<void> | undefined;
  private cleaned = false;
  private closed = false;

  constructor(path: string, lock: FileLock, clock: Clock, lockWaitMs: number) {
    this.path = path;
    this.lock = lock;
    this.clock = clock;
    this.lockWaitMs = lockWaitMs;
  }

  async getMany(keys: readonly string[]): Promise<readonly (StateEntry | undefined)[]> {
    if (this.closed) throw errors.STORE_CLOSED({});
    const { entries } = await this.load();
    return keys.map((key) => {
      const entry = this.live(entries.get(key));
      return entry && asState(key, entry);
    });
  }

  async putMany(writes: readonly StateWrite[]): Promise<readonly WriteResult[]> {
    // The caller may use its buffers again as soon as it has called.
    const made = writes.map(({ value, expiresAt }) => makeEntry(value, expiresAt));
    let results: readonly WriteResult[] = [];
    await this.change((entries) => {
      results = writes.map((write, i) => this.put(entries, write, made[i]!));
      return results.some((result) => result.type === "written");
    });
    return results;
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    await this.change((entries) => keys.map((key) => entries.delete(key)).includes(true));
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.working;
  }

  /** What is in the file now; it is read again only when somebody has replaced it. */
  async load(): Promise<Snapshot> {
    try {
      const stamp = await stampOf(this.path);
      if (stamp === this.snapshot.stamp) return this.snapshot;
      const entries = stamp === ABSENT ? new Map() : parseDocument(await readFile(this.path, "utf8"), this.path);
      // Replaced between the two looks, it is read again by the next call.
      this.snapshot = { entries, stamp };
      return this.snapshot;
    } catch (error) {
      throw isMqbError(error) ? error : errors.STORE_IO({ path: this.path, action: "read" }, { cause: error });
    }
  }

  private change(apply: Job["apply"]): Promise<void> {
    if (this.closed) return Promise.reject(errors.STORE_CLOSED({}));
    return new Promise((done, fail) => {
      this.jobs.push({ apply, done, fail });
      this.working ??= this.work();
    });
  }

  private async work(): Promise<void> {
    while (this.jobs.length > 0) {
      const jobs = this.jobs;
      this.jobs = [];
      try {
        await this.locked(() => this.write(jobs));
        for (const job of jobs) job.done();
      } catch (error) {
        for (const job of jobs) job.fail(error);
      }
    }
    this.working = undefined;
  }

  private async locked(write: () => Promise<void>): Promise<void> {
    try {
      await mkdir(dirname(this.path), { recursive: true });
      const held = await this.lock.acquire(this.lockWaitMs);
      if ("holder" in held) throw errors.STORE_BUSY({ path: this.path, holder: held.holder });
      try {
        await write();
      } finally {
        await held.release();
      }
    } catch (error) {
      throw isMqbError(error) ? error : errors.STORE_IO({ path: this.path, action: "written" }, { cause: error });
    }
  }

  private async write(jobs: readonly Job[]): Promise<void> {
    if (!this.cleaned) await removeLeftovers(this.path);
    this.cleaned = true;
    const entries = new Map((await this.load()).entries);
    const changed = jobs.map((job) => job.apply(entries)).includes(true);
    if (!changed) return;
    for (const [key, entry] of entries) if (!this.live(entry)) entries.delete(key);
    await replaceFile(this.path, formatDocument(entries));
    this.snapshot = { entries, stamp: await stampOf(this.path) };
  }

  private put(entries: Map<string, FileEntry>, { key, expectedVersion }: StateWrite, made: FileEntry): WriteResult {
    const current = this.live(entries.get(key));
    if (expectedVersion !== undefined && expectedVersion !== (current?.version ?? null)) {
      return current ? { type: "conflict", current: asState(key, current) } : { type: "conflict" };
    }
    const entry = succeed(made, current);
    entries.set(key, entry);
    return { type: "written", version: entry.version };
  }

  private live(entry: FileEntry | undefined): FileEntry | undefined {
    return entry?.expiresAt !== undefined && entry.expiresAt <= this.clock.now() ? undefined : entry;
  }
}

function asState(key: string, { value, version, expiresAt }: FileEntry): StateEntry {
  return expiresAt === undefined ? { key, value, version } : { key, value, version, expiresAt };
}

/** Changes whenever the file is replaced or written to. */
async function stampOf(path: string): Promise<string> {
  try {
    const { ino, mtimeNs, size } = await stat(path, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return ABSENT;
    throw error;
  }
}

/** A link is followed, so that its target is replaced and not the link. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return path;
  }
}
