import type { Logger } from "@mqb/core/plugin";
import {
  type CsvStreamHeader,
  formatErrors,
  looksSealed,
  readStreamHeader,
  SNIFF_BYTES,
  sniffCodec,
} from "@mqb/formats";
import { HEADER_MAX, type RecordSettings } from "../config.ts";
import { codeOfSystem, fileErrors, reasonOf } from "../errors.ts";
import { close, endOfLast, fstat, open, readAt } from "../fs-calls.ts";
import { compareIdentity, type FileIdentity, identityOf } from "./identity.ts";
import { findRenamed } from "./siblings.ts";

/** Where an earlier reader has stopped. */
export interface Resume {
  readonly offset: number;
  readonly identity: FileIdentity | undefined;
}

export type Start = { readonly at: "start" } | { readonly at: "end" } | ({ readonly at: "offset" } & Resume);

export interface OpenedFile {
  readonly fd: number;
  readonly identity: FileIdentity;
  /** Offset in the file, or in its decompressed contents, to go on at. */
  readonly offset: number;
}

/**
 * Opens a regular file at the place where reading is to begin. A stored position in a file that has been truncated or
 * replaced since is given up with a warning; a replaced one that still lies beside the path is read to its end first.
 */
export async function openRegular(
  path: string,
  start: Start,
  settings: RecordSettings,
  log: Logger,
  draining: boolean,
): Promise<OpenedFile> {
  const fd = await openToRead(path);
  let keep = fd;
  try {
    const stats = await fstat(fd);
    if (stats.isDirectory()) throw fileErrors.IS_DIRECTORY({ path });
    const size = Number(stats.size);
    await refuseOtherData(fd, path, size, settings);
    if (start.at === "start") return { fd, identity: await identityOf(fd), offset: 0 };
    if (start.at === "end") {
      // Behind the last delimiter, so that reading never begins within a record.
      const offset = draining ? size : ((await endOfLast(fd, settings.delimiter, 0, size)) ?? 0);
      return { fd, identity: await identityOf(fd), offset };
    }
    const verdict = start.identity ? await compareIdentity(start.identity, fd) : "same";
    // An offset in unpacked contents cannot be compared with the size.
    if (verdict === "same" && (settings.isPacked || start.offset <= size))
      return { fd, identity: await identityOf(fd), offset: start.offset };
    if (verdict === "replaced") {
      const before = await findRenamed(path, start.identity!);
      if (before !== undefined) {
        keep = before;
        await close(fd);
        return { fd: before, identity: await identityOf(before), offset: start.offset };
      }
      log.warn(`${path} is another file than the stored position belongs to; reading it from the start`);
    } else
      log.warn(`${path} was truncated since its position was stored; reading it again from the start`, {
        size,
        offset: start.offset,
      });
    return { fd, identity: await identityOf(fd), offset: 0 };
  } catch (error) {
    await close(keep);
    throw error;
  }
}

/** The header of a CSV file that is taken up behind its start. */
export async function headerOf(fd: number, path: string, settings: RecordSettings): Promise<CsvStreamHeader> {
  const head = await readAt(fd, 0, HEADER_MAX);
  const header = readStreamHeader(settings.csv, settings.delimiter, head, head.length < HEADER_MAX);
  if (header) return header;
  throw fileErrors.NOT_READABLE({ path, reason: "its CSV header does not end within the first MiB" });
}

async function openToRead(path: string): Promise<number> {
  try {
    return await open(path, "r");
  } catch (cause) {
    if (codeOfSystem(cause) === "EISDIR") throw fileErrors.IS_DIRECTORY({ path });
    throw fileErrors.NOT_READABLE({ path, reason: reasonOf(cause) }, { cause });
  }
}

async function refuseOtherData(fd: number, path: string, size: number, settings: RecordSettings): Promise<void> {
  if (settings.isPacked) return;
  const head = await readAt(fd, 0, SNIFF_BYTES);
  refuseHead(head, size, path);
}

/** Refuses data that would be delivered as garbage: compressed or encrypted without being declared so. */
export function refuseHead(head: Uint8Array, size: number, source: string): void {
  const codec = sniffCodec(head);
  if (codec) throw formatErrors.COMPRESSED({ source, codec });
  if (looksSealed(head, size)) throw formatErrors.SEALED({ source });
}
