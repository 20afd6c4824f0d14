import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, lstat, rename, rm } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { dirname, join } from "node:path";
import { errors } from "../../errors.ts";
import { FileLock } from "../../stores/file/lock.ts";
import { longestPath } from "./address.ts";

/** Connections that wait to be accepted. */
const BACKLOG = 511;
/** How long somebody else may take who is opening the same socket. */
const LOCK_MS = 2_000;
const NAME_BYTES = 8;

/** A listening server whose socket file is where publishers look for it. */
export interface Claim {
  /** Takes the socket file away, if it is still ours. */
  release(): Promise<void>;
}

/**
 * Makes a server listen at a path. A socket file that nobody listens at is replaced, in one step and by one of several who
 * try at the same time; one that somebody listens at, and a file that is no socket, are refused. `goesPublic` is called when
 * the next connection can be one of a publisher.
 */
export async function claim(server: Server, path: string, goesPublic: () => void = () => {}): Promise<Claim> {
  if (path.startsWith("\\\\")) {
    goesPublic();
    await listen(server, path);
    return { release: async () => {} };
  }
  const lock = await lockOf(path);
  const own = join(dirname(path), temporaryName(path));
  try {
    await refuseUnlessFree(path);
    // Under another name first: publishers find it only when it listens and has its rights.
    await listen(server, own);
    return await publish(own, path, goesPublic);
  } finally {
    await lock.release();
  }
}

async function publish(own: string, path: string, goesPublic: () => void): Promise<Claim> {
  try {
    await chmod(own, 0o600);
    const { ino, dev } = await lstat(own);
    goesPublic();
    await rename(own, path);
    return { release: () => removeOwn(path, ino, dev) };
  } catch (cause) {
    await rm(own, { force: true });
    throw errors.IPC_LISTEN({ path }, { cause });
  }
}

/** Whether somebody listens at a path. Tells by a connection that is closed at once. */
export async function isListening(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ECONNREFUSED" || code === "ENOENT") return false;
    // So many wait already that nobody more is taken.
    if (code === "EAGAIN") return true;
    throw error;
  } finally {
    socket.destroy();
  }
}

async function refuseUnlessFree(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return;
  if (!found.isSocket()) throw errors.IPC_NO_SOCKET({ path });
  let live: boolean;
  try {
    live = await isListening(path);
  } catch (cause) {
    throw errors.IPC_LISTEN({ path }, { cause });
  }
  if (live) throw errors.IPC_IN_USE({ path });
}

async function lockOf(path: string): Promise<{ release(): Promise<void> }> {
  let lock: Awaited<ReturnType<FileLock["acquire"]>>;
  try {
    lock = await new FileLock(path).acquire(LOCK_MS);
  } catch (cause) {
    throw errors.IPC_FOLDER({ url: path, folder: dirname(path) }, { cause });
  }
  if ("holder" in lock) throw errors.IPC_BUSY({ path, holder: lock.holder });
  return lock;
}

async function listen(server: Server, path: string): Promise<void> {
  server.listen({ path, backlog: BACKLOG });
  try {
    await once(server, "listening");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EADDRINUSE") throw errors.IPC_IN_USE({ path });
    throw errors.IPC_LISTEN({ path }, { cause });
  }
}

/** A name in the same folder; shorter where the system's limit for paths leaves less room. */
function temporaryName(path: string): string {
  const folder = dirname(path);
  const room = longestPath(process.platform) - Buffer.byteLength(folder === "/" ? folder : `${folder}/`);
  return randomBytes(NAME_BYTES).toString("hex").slice(0, room);
}

async function removeOwn(path: string, ino: number, dev: number): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.ino === ino && found.dev === dev) await rm(path, { force: true });
}
