import { defineErrors, errorRow } from "@mqb/core/plugin";

interface OnPath {
  readonly path: string;
  /** What the system says, e.g. `ENOSPC: no space left on device`. */
  readonly reason: string;
}

/** Every error of the file endpoint. */
export const fileErrors = defineErrors("MQB_FILE", {
  IS_DIRECTORY: errorRow<{ path: string }>({
    kind: "config",
    message: (p) => `${p.path} is a directory, not a file`,
    hint: "name a file; for a directory of part files set name_by: source_position on an output",
  }),
  NOT_READABLE: errorRow<OnPath>({
    kind: "connection",
    message: (p) => `${p.path} cannot be read: ${p.reason}`,
    hint: (p) => hintFor(p.reason, "is the name right?"),
  }),
  NOT_WRITABLE: errorRow<OnPath>({
    kind: "config",
    message: (p) => `${p.path} cannot be opened for writing: ${p.reason}`,
    hint: (p) => hintFor(p.reason, "is there a folder for it?"),
  }),
  NO_ROOM: errorRow<OnPath>({
    kind: "connection",
    message: (p) => `${p.path} cannot be opened for writing now: ${p.reason}`,
  }),
  OTHER_CODEC: errorRow<{ path: string; found: string; wanted: string }>({
    kind: "config",
    message: (p) =>
      `${p.path} holds ${p.found}, and ${p.wanted} would be appended: nothing could read both as one file`,
    hint: "set compression and encryption to what the file was written with, or write to another file",
  }),
  OTHER_RECORDS: errorRow<{ path: string }>({
    kind: "config",
    message: (p) =>
      `${p.path} is written to by another output already, in another format, with another delimiter, compression or encryption`,
    hint: "give both the same settings, or write to two files",
  }),
  GROUP_TWICE: errorRow<{ path: string; group: string }>({
    kind: "config",
    message: (p) => `the group "${p.group}" reads ${p.path} already: two readers would overwrite each other's position`,
    hint: "give each its own group_id",
  }),
  PART_NAME_TOO_LONG: errorRow<{ path: string; part: string }>({
    kind: "permanent",
    message: (p) => `the part ${p.part} has a longer name than the file system of ${p.path} takes`,
  }),
  READ_FAILED: errorRow<OnPath>({
    kind: "connection",
    message: (p) => `reading ${p.path} failed: ${p.reason}`,
  }),
  WRITE_FAILED: errorRow<OnPath & { partial: boolean }>({
    kind: "retryable",
    message: (p) =>
      `writing to ${p.path} failed: ${p.reason}${p.partial ? "; part of the batch stands in the file, which another program has appended to since" : ""}`,
  }),
  SYNC_FAILED: errorRow<OnPath>({
    kind: "retryable",
    message: (p) => `forcing ${p.path} to the disk failed: ${p.reason}`,
    hint: "data written since the last successful sync may be missing after a power failure",
  }),
  PIPE_CLOSED: errorRow<{ path: string }>({
    kind: "end",
    message: (p) => `the reader of ${p.path} has closed it`,
  }),
  NO_READER: errorRow<{ path: string }>({
    kind: "connection",
    message: (p) => `nobody has opened the pipe ${p.path} for reading`,
  }),
  STREAM_ENDED: errorRow<{ path: string }>({
    kind: "end",
    message: (p) => `${p.path} has ended`,
  }),
  NEEDS_REGULAR_FILE: errorRow<{ path: string; field: string }>({
    kind: "config",
    message: (p) => `${p.path} is a pipe or a device; ${p.field} needs a regular file`,
  }),
  PART_DIRECTORY: errorRow<OnPath>({
    kind: "config",
    message: (p) => `Failed to create part-file sink directory ${p.path}: ${p.reason}`,
    hint: "with name_by: source_position, path is the directory of the part files",
  }),
  PART_FAILED: errorRow<{ path: string; part: string; reason: string }>({
    kind: "retryable",
    message: (p) => `the part ${p.part} could not be written to ${p.path}: ${p.reason}`,
  }),
  POSITION_UNREADABLE: errorRow<OnPath>({
    kind: "connection",
    message: (p) => `the stored position ${p.path} cannot be read: ${p.reason}`,
  }),
  POSITION_FAILED: errorRow<OnPath>({
    kind: "connection",
    message: (p) => `the position could not be stored in ${p.path}: ${p.reason}`,
  }),
  POSITION_VALUE: errorRow<{ value: string; reason: string }>({
    kind: "config",
    message: (p) => `"${p.value}" cannot be the position: ${p.reason}`,
    hint: "a position must be the start of a record; mqb checkpoint reset reads from the beginning",
  }),
  POSITION_UNUSABLE: errorRow<OnPath>({
    kind: "config",
    message: (p) => `the position of the group cannot be kept in ${p.path}: ${p.reason}`,
    hint: "it is kept beside the file that is read: this user has to be allowed to write to that folder",
  }),
  CLOSED: errorRow<{ path: string }>({
    kind: "connection",
    message: (p) => `${p.path} is closed`,
  }),
  NO_PATH: errorRow<{ uri: string }>({
    kind: "config",
    message: (p) => `the URI ${p.uri} names no file`,
    hint: "write file:name, file:/abs/name or file:///abs/name",
  }),
  REMOTE_HOST: errorRow<{ host: string }>({
    kind: "config",
    message: (p) => `the file URI names the host "${p.host}"; only local files can be opened`,
    hint: "a relative path is written file:name, an absolute one file:///name",
  }),
});

function hintFor(reason: string, absent: string): string | undefined {
  if (reason.startsWith("ENOENT")) return `${absent} a relative path starts at the working directory`;
  if (reason.startsWith("EACCES")) return "the permissions of the file, or of a folder above it, do not let this user";
  return undefined;
}

/** The system's words for an error, without the path, which whoever reports it names anyway. */
export function reasonOf(error: unknown): string {
  const { message, syscall, path } = error as { message?: unknown; syscall?: unknown; path?: unknown };
  if (typeof message !== "string") return String(error);
  return typeof path === "string" ? message.replace(`, ${String(syscall)} '${path}'`, "") : message;
}

export function codeOfSystem(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
