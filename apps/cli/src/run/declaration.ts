import type { CommandDeclaration, FlagDeclaration } from "../args/declare.ts";
import { COLOR, CONFIGURATION, HELP } from "../args/flags.ts";

const NOT_YET = "is not available yet";

/** What running takes, with the command's name and without. */
export const RUN_FLAGS: readonly FlagDeclaration[] = [
  ...CONFIGURATION,
  { name: "drain", help: "End each route when its source is empty" },
  COLOR,
  { name: "no-ui", help: "Serve no web UI" },
  { name: "no-metrics", help: "Serve no metrics" },
  { name: "ui", help: "", refused: NOT_YET },
  { name: "metrics-addr", value: "ADDR", help: "", refused: NOT_YET },
  { name: "schema", value: "PATH", help: "", refused: NOT_YET },
  HELP,
];

export const RUN: CommandDeclaration = {
  name: "run",
  summary: "Run the routes of a configuration",
  positionals: [],
  flags: RUN_FLAGS,
  notes:
    "Ends by itself when every route has ended. SIGINT or SIGTERM stops all routes within 10 s; a second one ends the process at once.",
  load: async () => (await import("./run.ts")).run,
};
