import type { CommandDeclaration } from "./args/declare.ts";
import { COLOR, HELP } from "./args/flags.ts";
import { CHECK } from "./check/declaration.ts";
import { CHECKPOINT_RESET, CHECKPOINT_SET, CHECKPOINT_SHOW } from "./checkpoint/declaration.ts";
import { COMPLETION } from "./completion/declaration.ts";
import { CONFIG_SHOW } from "./config-show/declaration.ts";
import { COPY } from "./copy/declaration.ts";
import { DOCTOR } from "./doctor/declaration.ts";
import { EXPLAIN } from "./explain/declaration.ts";
import { INIT } from "./init/declaration.ts";
import { PLUGINS, PLUGINS_INFO, PLUGINS_LIST } from "./plugins/declaration.ts";
import { RUN, RUN_FLAGS, RUN_MANUAL } from "./run/declaration.ts";
import { SCHEMA } from "./schema/declaration.ts";
import { STATE_CHECK, STATE_REPAIR } from "./state/declaration.ts";
import { STATUS } from "./status/declaration.ts";
import { TO_CLI } from "./to-cli/declaration.ts";

/** The program without a command: it runs the configuration. */
export const PROGRAM: CommandDeclaration = {
  name: "",
  summary: "mqb moves messages between systems: routes from a configuration, or one copy from here to there.",
  positionals: [],
  flags: [...RUN_FLAGS, { name: "version", short: "V", help: "Print the version" }],
  ...RUN_MANUAL,
  description:
    "Without a command, mqb runs the configuration, like `mqb run`. `mqb help COMMAND` tells about one command. Results go to standard output, everything else to standard error; passwords, tokens and keys are shown as `***`.",
  examples: [
    { command: "mqb copy 'orders.csv?format=csv' 'orders.jsonl?format=raw' --drain", help: "Copy a file:" },
    {
      command: "mqb init --from 'orders.csv?format=csv' --to orders.jsonl --out mqb.yaml",
      help: "Begin a configuration:",
    },
    { command: "mqb check -c mqb.yaml && mqb run -c mqb.yaml", help: "Check it, and run it:" },
  ],
  load: async () => (await import("./run/run.ts")).run,
};

/** Every command, in the order of the help. Each is declared beside its code, which is imported only when it runs. */
export const COMMANDS: readonly CommandDeclaration[] = [
  RUN,
  COPY,
  INIT,
  CHECK,
  DOCTOR,
  EXPLAIN,
  CONFIG_SHOW,
  PLUGINS,
  PLUGINS_LIST,
  PLUGINS_INFO,
  SCHEMA,
  STATUS,
  CHECKPOINT_SHOW,
  CHECKPOINT_RESET,
  CHECKPOINT_SET,
  STATE_CHECK,
  STATE_REPAIR,
  TO_CLI,
  COMPLETION,
  {
    name: "help",
    summary: "Print help, also for one command",
    positionals: [{ name: "COMMAND", help: "The command to explain, of one or two words", repeat: true }],
    flags: [COLOR, HELP],
    exits: ["ok", "usage"],
    examples: [{ command: "mqb help plugins info", help: "The help of one command:" }],
  },
  ...["mcp", "agent-listen", "list", "describe"].map((name) => ({
    name,
    summary: "",
    positionals: [],
    flags: [],
    refused: "is not available yet",
  })),
];
