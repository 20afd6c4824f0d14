import type { CommandDeclaration } from "../args/declare.ts";
import { COLOR, CONFIGURATION, HELP, JSON_OUTPUT } from "../args/flags.ts";

export const TO_CLI: CommandDeclaration = {
  name: "to-cli",
  summary: "Print the command line that does what a configuration does",
  positionals: [],
  flags: [
    { name: "copy", help: "Print an `mqb copy`; for a configuration of one route whose endpoints have a URI form" },
    ...CONFIGURATION,
    JSON_OUTPUT,
    COLOR,
    HELP,
  ],
  notes: [
    "The command is quoted for a POSIX shell and printed on standard output. Secrets are replaced by variables, whose",
    "names follow on standard error; everything else that variables gave is written out.",
    'With --json: {"command", "required_env": [names], "encoded_env": [those whose value has to be percent-encoded]}.',
  ].join("\n"),
  examples: [
    { command: "mqb to-cli -c mqb.yaml", help: "A whole configuration, in one line:" },
    { command: "mqb to-cli -c mqb.yaml --copy", help: "One route, as a copy:" },
  ],
  load: async () => (await import("./to-cli.ts")).toCli,
};
