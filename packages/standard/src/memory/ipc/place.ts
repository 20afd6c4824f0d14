import { constants } from "node:fs";
import { access, lstat, mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errors } from "../../errors.ts";
import { type IpcAddress, longestPath } from "./address.ts";

/** Where names are looked for; the parts of it that tests replace. */
export interface Surroundings {
  /** [/run] */
  readonly run: string;
  /** `XDG_RUNTIME_DIR`. */
  readonly runtimeDir: string | undefined;
  /** [/tmp] */
  readonly tmp: string;
  /** Our user; undefined on systems without. */
  readonly user: number | undefined;
}

export function surroundings(): Surroundings {
  return { run: "/run", runtimeDir: process.env["XDG_RUNTIME_DIR"], tmp: "/tmp", user: process.getuid?.() };
}

/** The socket path on which a consumer listens. Makes the folder, for its owner alone, where there is none. */
export async function placeToListen(address: IpcAddress, around: Surroundings = surroundings()): Promise<string> {
  if (address.kind === "pipe") return address.path;
  if (address.kind === "path") {
    const folder = dirname(address.path);
    try {
      await makeFolder(folder);
    } catch (cause) {
      throw errors.IPC_FOLDER({ url: address.url, folder }, { cause });
    }
    return address.path;
  }
  const tried: string[] = [];
  for (const candidate of candidates(address.name, around)) {
    const reason = await whyUnusable(candidate.folder, candidate.own, around, true);
    if (reason === undefined) return fitting(address.url, candidate.path);
    tried.push(`${candidate.folder} ${reason}`);
  }
  throw errors.IPC_NO_FOLDER({ url: address.url, tried });
}

/** The socket path to which a publisher connects: the first place of the name where there is a socket, else where one would be. */
export async function placeToConnect(address: IpcAddress, around: Surroundings = surroundings()): Promise<string> {
  if (address.kind !== "name") return address.path;
  const places = candidates(address.name, around);
  for (const { path, folder, own } of places) {
    if (!(await isSocket(path))) continue;
    const reason = await whyUnusable(folder, own, around, false);
    if (reason === undefined) return fitting(address.url, path);
    throw errors.IPC_FOREIGN({ url: address.url, path, reason: `${folder} ${reason}` });
  }
  throw errors.IPC_UNREACHABLE({
    target: address.url,
    reason: `there is no socket at ${places.map(({ path }) => path).join(", ")}`,
  });
}

interface Candidate {
  readonly path: string;
  /** The folder of all names. */
  readonly folder: string;
  /** It must be ours: it stands where others may make folders, too. */
  readonly own: boolean;
}

function candidates(name: string, { run, runtimeDir, tmp }: Surroundings): Candidate[] {
  const at = (base: string, own: boolean): Candidate => {
    const folder = join(base, "mq-bridge");
    return { folder, path: join(folder, `${name}.sock`), own };
  };
  return [at(run, false), ...(runtimeDir?.startsWith("/") ? [at(runtimeDir, true)] : []), at(tmp, true)];
}

/** Why a folder does not do, or undefined. With `make` it is made where it is missing, and must be writable. */
async function whyUnusable(
  folder: string,
  own: boolean,
  { user }: Surroundings,
  make: boolean,
): Promise<string | undefined> {
  try {
    if (make) await makeFolder(folder);
    const { uid } = await stat(folder);
    // Whoever owns the folder can put another socket in the place of ours.
    if (own && user !== undefined && uid !== user && uid !== 0) return `belongs to another user (${uid})`;
    if (make) await access(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "EACCES" || code === "EPERM" || code === "EROFS" ? "is not writable" : `cannot be used (${code})`;
  }
}

/** Only folders that are made here get our rights: one that is there, such as /tmp, stays as it is. */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

async function isSocket(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSocket() ?? false;
}

function fitting(url: string, path: string): string {
  const limit = longestPath(process.platform);
  const bytes = Buffer.byteLength(path);
  if (bytes > limit) throw errors.IPC_PATH_TOO_LONG({ url, path, bytes, limit });
  return path;
}
