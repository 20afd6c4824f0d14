import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Runs `work` while no other call on this machine holds the same lock. The lock is the kernel's (flock), held by a
 * child that ends when our end of its pipe closes: a killed caller leaves no stale lock behind.
 * @template T
 * @param {string} file
 * @param {number} waitSeconds
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, waitSeconds, work) {
  const holder = spawn(
    "flock",
    ["--exclusive", "--timeout", String(waitSeconds), file, "sh", "-c", "echo held; exec cat >/dev/null"],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const ended = once(holder, "close");
  const held = await Promise.race([once(holder.stdout, "data").then(() => true), ended.then(() => false)]);
  if (!held) throw new Error(`another call has held ${file} for more than ${waitSeconds} s`);
  try {
    return await work();
  } finally {
    holder.stdin.end();
    await ended;
  }
}
