import type { CommandDeclaration } from "../args/declare.ts";
import { COLOR, HELP, JSON_OUTPUT } from "../args/flags.ts";

export const STATUS: CommandDeclaration = {
  name: "status",
  summary: "Show the routes of every running mqb process of this user",
  positionals: [],
  flags: [
    {
      name: "watch",
      value: "SECONDS",
      alone: "1",
      conflicts: ["no-watch"],
      default: "1 on a terminal, else once",
      help: "Show again and again, so many seconds apart",
    },
    { name: "no-watch", help: "Show once, also on a terminal" },
    JSON_OUTPUT,
    COLOR,
    HELP,
  ],
  notes: [
    "Each process renews a record of its routes in a private folder of the user every 2 s; one whose process has ended, or",
    "that was not renewed for 7 s, is not shown. Records hold names, kinds of endpoints and counters. What went wrong is shown as the word error, unless",
    "MQB_STATUS_SHOW_ERRORS=1 is set both for that process and for this command.",
  ].join("\n"),
  examples: [
    { command: "mqb status", help: "On a terminal, a table that is renewed every second:" },
    { command: "mqb status --json", help: "Once, for a program:" },
  ],
  load: async () => (await import("./status.ts")).status,
};
