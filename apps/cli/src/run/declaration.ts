import type { CommandDeclaration, FlagDeclaration } from "../args/declare.ts";
import {
  COLOR,
  CONFIGURATION,
  CONFIGURATION_FILES,
  HELP,
  JSON_OUTPUT,
  OVERLAY_VARIABLE,
  RUN_VARIABLES,
} from "../args/flags.ts";

/** What running takes, with the command's name and without. */
export const RUN_FLAGS: readonly FlagDeclaration[] = [
  ...CONFIGURATION,
  { name: "drain", help: "End each route when its source is empty" },
  COLOR,
  { name: "no-ui", help: "Serve no web UI" },
  { name: "no-metrics", help: "Serve no metrics" },
  { name: "ui", help: "", refused: "is not available yet" },
  {
    name: "metrics-addr",
    value: "HOST:PORT",
    conflicts: ["no-metrics"],
    default: "metrics_addr of the configuration, else 127.0.0.1:9090",
    help: "Where metrics are served for Prometheus, at /metrics; /health says whether every route is well",
  },
  {
    name: "schema",
    value: "PATH",
    file: true,
    help: "Write the JSON Schema of a configuration, like `mqb schema`, and end",
  },
  { name: "watch", conflicts: ["dry-run"], help: "Take up the configuration when its file changes, like SIGHUP" },
  { name: "dry-run", help: "Show what would become of the first messages of each route; nothing is moved or kept" },
  {
    name: "limit",
    value: "N",
    type: "integer",
    min: 1,
    max: 100_000,
    default: "10",
    help: "Messages of each route that --dry-run looks at",
  },
  JSON_OUTPUT,
  HELP,
];

/** How running ends, what it reads: with the command's name and without. */
export const RUN_MANUAL: Pick<CommandDeclaration, "description" | "exits" | "environment" | "files"> = {
  description:
    "The configuration is checked as a whole before anything is opened: with a fault in it nothing starts, and every fault is listed with file, line and column. A route that names an endpoint or middleware which is not installed fails alone; the others run. A route whose system cannot be reached goes on trying while another route runs.\n\nmqb ends by itself when every route has ended. SIGINT or SIGTERM stops the reading, finishes what is in flight (5 s for a route, 10 s in all) and ends with 0; a second one ends the process at once. Relative paths in a configuration are relative to the working directory, those under `plugins` to the folder of the file.\n\nSIGHUP (where there is no terminal) and --watch take up a changed configuration: routes that differ are stopped and started anew, all others go on. With a fault in the new one, everything goes on as before.",
  exits: ["ok", "failed", "usage", "interrupted", "terminated"],
  environment: [OVERLAY_VARIABLE, ...RUN_VARIABLES],
  files: CONFIGURATION_FILES,
};

export const RUN: CommandDeclaration = {
  name: "run",
  summary: "Run the routes of a configuration",
  positionals: [],
  flags: RUN_FLAGS,
  ...RUN_MANUAL,
  examples: [
    { command: "mqb run -c mqb.yaml", help: "Until a signal, or until every route has ended:" },
    { command: "mqb run -c mqb.yaml --drain", help: "Until every source is empty:" },
    {
      command: "mqb run --config-str '{input: {file: {path: a}}, output: {file: {path: b}}}' --drain",
      help: "Without a file:",
    },
  ],
  load: async () => (await import("./run.ts")).run,
};
