/** Exit codes of the command. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  pluginsMissing: 3,
  unreachable: 4,
  warnings: 5,
  interrupted: 130,
  terminated: 143,
} as const;

export type Exit = keyof typeof EXIT;

/** When the command ends with each; the help and the reference print it. */
export const EXIT_MEANINGS: Readonly<Record<Exit, string>> = {
  ok: "done, or stopped by a signal, also where what was in flight did not finish in its 5 s and went back to its source; also when the reader of standard output has closed it",
  failed: "the configuration, a URI or a route is wrong; a route or copy failed, or messages were dropped for good",
  usage: "the arguments are wrong: an unknown flag, a number out of its range, flags that exclude each other",
  pluginsMissing: "nothing is wrong but that a plugin is not installed",
  unreachable: "a system cannot be reached, refused us, or lacks what the configuration names",
  warnings: "there are warnings and no errors, and --strict was given",
  interrupted: "a second SIGINT ended the process at once",
  terminated: "a second SIGTERM ended the process at once",
};
