import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { fstat, readAt } from "../fs-calls.ts";

/** What a file is recognised by when its name is opened again. */
export interface FileIdentity {
  readonly ino: string;
  /** Creation time, where the file system keeps one. */
  readonly birth?: string;
  /** The first bytes. */
  readonly head: { readonly length: number; readonly sha256: string };
}

export const HEAD_BYTES = 1024;

export async function identityOf(fd: number): Promise<FileIdentity> {
  const stats = await fstat(fd);
  const head = await readAt(fd, 0, Math.min(HEAD_BYTES, Number(stats.size)));
  return {
    ino: String(stats.ino),
    ...(keepsBirth(stats) ? { birth: String(stats.birthtimeNs) } : {}),
    head: { length: head.length, sha256: digest(head) },
  };
}

/**
 * What has become of the file that was known as `known`: `same` (it may have grown), `replaced` by another file, or
 * `truncated`: the same file with other contents.
 */
export async function compareIdentity(known: FileIdentity, fd: number): Promise<"same" | "replaced" | "truncated"> {
  const stats = await fstat(fd);
  if (String(stats.ino) !== known.ino) return "replaced";
  // The number of a deleted file is given out again; its time of birth is not.
  if (known.birth !== undefined && keepsBirth(stats) && String(stats.birthtimeNs) !== known.birth) return "replaced";
  if (stats.size < BigInt(known.head.length)) return "truncated";
  const head = await readAt(fd, 0, known.head.length);
  return head.length === known.head.length && digest(head) === known.head.sha256 ? "same" : "truncated";
}

/** Without a birth time, systems report the time of the last change in its place. */
export function keepsBirth(stats: BigIntStats): boolean {
  return stats.birthtimeNs > 0n && stats.birthtimeNs < stats.ctimeNs;
}

export function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
