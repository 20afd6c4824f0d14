import * as fs from "node:fs";

// The callback API on plain descriptors: per call it costs half of what the promise API of FileHandle does.

const SEARCH = 64 * 1024;

export function open(path: string, flags: number | string, mode?: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.open(path, flags, mode ?? 0o666, (error, fd) => (error ? reject(error) : resolve(fd)));
  });
}

export function close(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.close(fd, (error) => (error ? reject(error) : resolve()));
  });
}

/** Bytes read into `buffer[offset ..)`; fewer than asked for only before the end of the file. */
export function read(fd: number, buffer: Buffer, offset: number, length: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(fd, buffer, offset, length, position, (error, bytes) => (error ? reject(error) : resolve(bytes)));
  });
}

/** Up to `length` bytes from `position` on. */
export async function readAt(fd: number, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const bytes = await read(fd, buffer, filled, length - filled, position + filled);
    if (bytes === 0) break;
    filled += bytes;
  }
  return buffer.subarray(0, filled);
}

/** The position behind the last `what` in `[from .. to)`; undefined when there is none. */
export async function endOfLast(fd: number, what: Uint8Array, from: number, to: number): Promise<number | undefined> {
  for (let end = to; end > from; ) {
    const start = Math.max(from, end - SEARCH);
    const found = (await readAt(fd, start, end - start)).lastIndexOf(what);
    if (found >= 0) return start + found + what.length;
    if (start === from) return undefined;
    // It may lie across two pieces.
    end = start + what.length - 1;
  }
  return undefined;
}

/** One write call for all chunks; returns how many bytes were taken. */
export function write(fd: number, chunks: readonly Buffer[], position: number | null): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (error: NodeJS.ErrnoException | null, bytes: number): void => (error ? reject(error) : resolve(bytes));
    if (chunks.length === 1) fs.write(fd, chunks[0]!, 0, chunks[0]!.length, position, done);
    else if (position === null) fs.writev(fd, chunks, done);
    else fs.writev(fd, chunks, position, done);
  });
}

/** Writes all of it, with as many calls as it takes, at the descriptor's own position. */
export async function writeAll(fd: number, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length; ) written += await write(fd, [bytes.subarray(written)], null);
}

export function fstat(fd: number): Promise<fs.BigIntStats> {
  return new Promise((resolve, reject) => {
    fs.fstat(fd, { bigint: true }, (error, stats) => (error ? reject(error) : resolve(stats)));
  });
}

/** Undefined when there is no such file. */
export function statIfThere(path: string): Promise<fs.BigIntStats | undefined> {
  return new Promise((resolve, reject) => {
    fs.stat(path, { bigint: true }, (error, stats) => {
      if (!error) resolve(stats);
      else if (error.code === "ENOENT" || error.code === "ENOTDIR") resolve(undefined);
      else reject(error);
    });
  });
}

export function truncate(fd: number, length: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.ftruncate(fd, length, (error) => (error ? reject(error) : resolve()));
  });
}

export function sync(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fsync(fd, (error) => (error ? reject(error) : resolve()));
  });
}

/** Makes names in a directory durable: files made, renamed or removed there. */
export async function syncDirectory(path: string): Promise<void> {
  const fd = await open(path, "r");
  try {
    await sync(fd);
  } finally {
    await close(fd);
  }
}

/** Gives a file the mode and owner of another one. Rejects when the system does not let this user. */
export async function takeOver(fd: number, stats: Pick<fs.BigIntStats, "mode" | "uid" | "gid">): Promise<void> {
  const own = await fstat(fd);
  // The owner first: a change of owner takes set-id bits away.
  if (own.uid !== stats.uid || own.gid !== stats.gid) {
    await new Promise<void>((resolve, reject) => {
      fs.fchown(fd, Number(stats.uid), Number(stats.gid), (error) => (error ? reject(error) : resolve()));
    });
  }
  await new Promise<void>((resolve, reject) => {
    fs.fchmod(fd, Number(stats.mode & 0o7777n), (error) => (error ? reject(error) : resolve()));
  });
}
