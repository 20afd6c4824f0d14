import { constants } from "node:fs";
import { access, realpath, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ProbeContext, ProbeFinding } from "@mqb/core/plugin";
import { looksSealed, SNIFF_BYTES, sniffCodec } from "@mqb/formats";
import { deletes, type FileConfig, modeOf, pathOf, writesParts } from "./config.ts";
import { reasonOf } from "./errors.ts";
import { close, open, readAt, statIfThere } from "./fs-calls.ts";
import { isStdout } from "./sink/stream-publisher.ts";
import { isStdin } from "./source/stream-input.ts";

/** A disk with less is as good as full. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;

type Found = NonNullable<Awaited<ReturnType<typeof statIfThere>>>;

/** Looks at the file and at the folder around it; makes neither. Of a pipe, only that it is there. */
export async function probeFile(config: FileConfig, context: ProbeContext): Promise<ProbeFinding[]> {
  const path = pathOf(config, context);
  if (isStdin(path) || isStdout(path)) return [fine("exists", "it is a standard stream of the process")];
  let found: Found | undefined;
  try {
    found = await statIfThere(path);
  } catch (error) {
    return [
      failing(
        "exists",
        `${config.path} cannot be looked at: ${reasonOf(error)}`,
        "check the permissions of its folders",
      ),
    ];
  }
  context.signal.throwIfAborted();
  const findings =
    context.side === "input" ? await probeSource(config, path, found) : await probeSink(config, path, found);
  const identity = await identityOf(path, found);
  return findings.map((finding, index) => (index === 0 ? { ...finding, identity } : finding));
}

async function probeSource(config: FileConfig, path: string, found: Found | undefined): Promise<ProbeFinding[]> {
  if (!found) {
    const hint = "check the path; a route that follows the file waits for it, one that drains fails";
    return [failing("exists", `there is no file ${config.path}`, hint)];
  }
  if (found.isDirectory()) return [failing("exists", `${config.path} is a directory`, "name a file")];
  const findings = [
    fine("exists", found.isFile() ? `${config.path} has ${found.size} bytes` : `${config.path} is a pipe or a device`),
  ];
  findings.push(await permission("readable", path, constants.R_OK));
  if (deletes(config)) findings.push(await permission("writable", path, constants.W_OK));
  // The position is kept in a file beside it.
  if (modeOf(config) === "group_subscribe") findings.push(await permission("writable", dirname(path), constants.W_OK));
  if (found.isFile() && found.size > 0n && findings.every((one) => one.ok))
    findings.push(await codec(config, path, Number(found.size)));
  return findings;
}

async function probeSink(config: FileConfig, path: string, found: Found | undefined): Promise<ProbeFinding[]> {
  const parts = writesParts(config);
  if (found && parts !== found.isDirectory()) {
    const what = parts ? "no directory for part files" : "a directory, not a file";
    return [failing("exists", `${config.path} is ${what}`, parts ? "name a directory" : "name a file")];
  }
  const folder = await nearestFolder(parts ? path : dirname(path));
  const exists = fine("exists", found ? `${config.path} is there` : `${config.path} is made by the first write`);
  const target = found ? path : folder;
  return [exists, await permission("writable", target, constants.W_OK), await space(folder)];
}

/** Whether the file begins like what the configuration says that it holds. */
async function codec(config: FileConfig, path: string, size: number): Promise<ProbeFinding> {
  const wanted = config.compression === "none" ? undefined : config.compression;
  let head: Buffer;
  try {
    const fd = await open(path, "r");
    try {
      head = await readAt(fd, 0, SNIFF_BYTES);
    } finally {
      await close(fd);
    }
  } catch (error) {
    return failing("codec", `${config.path} cannot be read: ${reasonOf(error)}`, "check its permissions");
  }
  if (looksSealed(head, size)) {
    if (config.encryption != null) return fine("codec", "it begins like an encrypted file");
    return failing("codec", "it begins like an encrypted file", "set encryption with the key that it was written with");
  }
  if (config.encryption != null)
    return failing("codec", "it does not begin like an encrypted file", "leave encryption out");
  const sniffed = sniffCodec(head);
  if (sniffed === wanted)
    return fine("codec", sniffed === undefined ? "it is not compressed" : `it begins like ${sniffed}`);
  const detail = `it begins ${sniffed === undefined ? "like no compressed file" : `like ${sniffed}`}`;
  return failing("codec", detail, `set compression: ${sniffed ?? "none"}`);
}

async function space(folder: string): Promise<ProbeFinding> {
  try {
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const detail = `${Math.floor(free / 1024 / 1024)} MiB are free in ${folder}`;
    return free >= LEAST_FREE_BYTES ? fine("space", detail) : failing("space", detail, "make room on the disk");
  } catch (error) {
    return failing("space", `the free space of ${folder} is not known: ${reasonOf(error)}`, "check the file system");
  }
}

async function permission(check: "readable" | "writable", path: string, mode: number): Promise<ProbeFinding> {
  try {
    await access(path, mode);
    return fine(check, `${path} is ${check}`);
  } catch (error) {
    return failing(check, `${path} is not ${check}: ${reasonOf(error)}`, "check its permissions, and who runs mqb");
  }
}

/** The folder itself, or the nearest one above that is there: the sink makes those that are missing. */
async function nearestFolder(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await statIfThere(at).catch(() => undefined);
    if (found || at === dirname(at)) return at;
  }
}

/** By device and number where the file is there, so that links to it count; else by its path without links. */
async function identityOf(path: string, found: Found | undefined): Promise<string> {
  if (found) return `file ${found.dev}:${found.ino}`;
  const folder = await nearestFolder(dirname(path));
  const real = await realpath(folder).catch(() => folder);
  return `file ${join(real, path.slice(folder.length))}`;
}

function fine(check: string, detail: string): ProbeFinding {
  return { check, ok: true, detail };
}

function failing(check: string, detail: string, hint: string): ProbeFinding {
  return { check, ok: false, detail, hint };
}
