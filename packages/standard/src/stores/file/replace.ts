import { randomBytes } from "node:crypto";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Puts a file with this text in the place of the old one, in one step: a reader, and a process that is killed at any
 * moment, finds the old one or the new one, whole. It is on the disk when the promise resolves. The folder must be there.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  const temporary = `${path}.${process.pid}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", await modeOf(path));
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Removes what killed processes have left. Only while nobody writes the file. */
export async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  const start = `${basename(path)}.`;
  const names = await readdir(folder).catch(() => []);
  const left = names.filter(
    (name) => name.startsWith(start) && /^\d+\.[0-9a-f]{16}\.tmp$/.test(name.slice(start.length)),
  );
  for (const name of left) await rm(join(folder, name), { force: true });
}

async function modeOf(path: string): Promise<number> {
  const { mode } = await stat(path).catch(() => ({ mode: 0o666 }));
  return mode & 0o777;
}

/** Makes the renaming durable. Windows cannot sync a folder and needs no such thing. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
