import { defineErrors, errorRow, type MqbError } from "@mqb/core/plugin";

/** Everything that goes wrong here has a row; codes stay, messages may change. */
export const pigeonholeErrors = defineErrors("MQB_PIGEONHOLE", {
  NOT_A_FOLDER: errorRow<{ path: string }>({
    kind: "config",
    message: ({ path }) => `pigeonhole: "${path}" is not a folder`,
    hint: "name a folder in `path`, or a place where one can be made",
  }),
  UNREACHABLE: errorRow<{ path: string; work: string }>({
    kind: "connection",
    message: ({ path, work }) => `pigeonhole: cannot ${work} "${path}"`,
  }),
  BAD_FILE: errorRow<{ file: string }>({
    kind: "permanent",
    message: ({ file }) => `pigeonhole: "${file}" was not written by mqb: it does not begin with a line of JSON`,
    hint: "move the file away; the others are read after it",
  }),
});

/** Which failures of the file system are the configuration's fault; the others may pass. */
export function fromFileSystem(cause: unknown, path: string, work: string): MqbError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "ENOTDIR" || code === "EEXIST") return pigeonholeErrors.NOT_A_FOLDER({ path }, { cause });
  return pigeonholeErrors.UNREACHABLE({ path, work }, { cause });
}
