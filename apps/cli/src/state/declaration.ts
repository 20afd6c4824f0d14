import type { CommandDeclaration } from "../args/declare.ts";
import { COLOR, CONFIGURATION, CONFIGURATION_FILES, HELP, JSON_OUTPUT } from "../args/flags.ts";

const PLACES = [
  {
    name: "PATH",
    help: "A folder of deduplication keys, a file of positions, or a configuration; left out = the configuration",
    repeat: true,
    file: true,
  },
];
const WHAT =
  "State on disk is what outlives a process: the keys of deduplication (a folder) and positions (a JSON file). What a server keeps is for that server's own tools.";

export const STATE_CHECK: CommandDeclaration = {
  name: "state check",
  summary: "Check that the state on disk is whole",
  description: `${WHAT}\n\nEvery byte is read, nothing is changed, and routes may run meanwhile. A write at the end of a file that did not finish is what a killed process leaves; it is told and does no harm.`,
  positionals: PLACES,
  flags: [...CONFIGURATION, JSON_OUTPUT, COLOR, HELP],
  files: CONFIGURATION_FILES,
  examples: [
    { command: "mqb state check", help: "All state of a configuration:" },
    { command: "mqb state check /var/lib/mqb/dedup", help: "One folder:" },
  ],
  load: async () => (await import("./state.ts")).checkState,
};

export const STATE_REPAIR: CommandDeclaration = {
  name: "state repair",
  summary: "Repair state on disk that is damaged; keeps what was there",
  description: `${WHAT}\n\nWhat can be read is written to a new file in the place of the damaged one, which is kept beside it as NAME.damaged. Keys that are lost let later copies of their messages pass once; a position that is lost lets its source be read from its beginning. A file that cannot be one of positions, such as JSON of another shape or lines of it, stays where it is. The routes that use it must be stopped.`,
  positionals: PLACES,
  flags: [...CONFIGURATION, JSON_OUTPUT, COLOR, HELP],
  files: CONFIGURATION_FILES,
  examples: [{ command: "mqb state repair /var/lib/mqb/dedup", help: "Tells what it has done:" }],
  load: async () => (await import("./state.ts")).repairState,
};
