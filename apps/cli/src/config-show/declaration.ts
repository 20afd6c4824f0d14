import type { CommandDeclaration } from "../args/declare.ts";
import { COLOR, CONFIGURATION, HELP, JSON_OUTPUT } from "../args/flags.ts";

export const CONFIG_SHOW: CommandDeclaration = {
  name: "config show",
  summary: "Show every value of the configuration, and where it comes from",
  description:
    "Reads the configuration as `mqb run` does and prints what comes of it: files, arguments, variables and defaults, one value a line. Secrets are shown as ***. Opens nothing. What is wrong goes to stderr; `mqb check` says it with more words.",
  positionals: [],
  flags: [
    ...CONFIGURATION,
    { name: "origin", help: "Add where each value comes from: file:line:column, an argument, a variable, or default" },
    JSON_OUTPUT,
    COLOR,
    HELP,
  ],
  notes:
    "With --json: [{ path, value, origin, secret }]; the path as in messages, e.g. routes.orders.input.file.path, and an origin with or without --origin. Exit code 1 when the configuration has a fault; its values are shown all the same.",
  exits: ["ok", "failed", "usage"],
  examples: [
    { command: "mqb config show -c mqb.yaml --origin", help: "Which variable overrides what:" },
    { command: "mqb config show --json", help: "For a program:" },
  ],
  load: async () => (await import("./config-show.ts")).configShow,
};
