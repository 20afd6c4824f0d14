import type { CommandDeclaration, FlagDeclaration } from "./args/declare.ts";

const NOT_YET = "is not available yet";

const HELP: FlagDeclaration = { name: "help", short: "h", help: "Print this help" };
const PLUGIN: FlagDeclaration = {
  name: "plugin",
  value: "PACKAGE|PATH",
  repeat: true,
  help: "Load a plugin: a package, or a path from the working directory",
};
const COLOR: FlagDeclaration = {
  name: "color",
  value: "WHEN",
  choices: ["auto", "always", "never"],
  default: "auto",
  help: "Colour messages; auto = on a terminal, unless NO_COLOR is set",
};
const CONFIG: FlagDeclaration = {
  name: "config",
  short: "c",
  value: "PATH",
  default: "config.yml if it exists",
  env: "CONFIG_FILE",
  help: "The configuration, YAML or JSON",
};
const CONFIG_STR: FlagDeclaration = {
  name: "config-str",
  value: "YAML",
  env: "CONFIG_STRING",
  help: "A configuration as an argument, laid over the file",
};

const RUN_FLAGS: readonly FlagDeclaration[] = [
  CONFIG,
  CONFIG_STR,
  PLUGIN,
  { name: "drain", help: "End each route when its source is empty" },
  COLOR,
  { name: "no-ui", help: "Serve no web UI" },
  { name: "no-metrics", help: "Serve no metrics" },
  { name: "ui", help: "", refused: NOT_YET },
  { name: "metrics-addr", value: "ADDR", help: "", refused: NOT_YET },
  { name: "init-config", short: "i", value: "PATH", help: "", refused: NOT_YET },
  { name: "init-config-str", value: "YAML", help: "", refused: NOT_YET },
  { name: "schema", value: "PATH", help: "", refused: NOT_YET },
  HELP,
];

/** The program without a command: it runs the configuration. */
export const PROGRAM: CommandDeclaration = {
  name: "",
  summary: "mqb moves messages between systems: routes from a configuration, or one copy from here to there.",
  positionals: [],
  flags: [...RUN_FLAGS, { name: "version", short: "V", help: "Print the version" }],
  notes:
    "Without a command, mqb runs the configuration, like `mqb run`. Exit codes: 0 done or stopped, 1 failed, 2 wrong arguments.",
};

export const COMMANDS: readonly CommandDeclaration[] = [
  {
    name: "run",
    summary: "Run the routes of a configuration",
    positionals: [],
    flags: RUN_FLAGS,
    notes:
      "Ends by itself when every route has ended. SIGINT or SIGTERM stops all routes within 10 s; a second one ends the process at once.",
  },
  {
    name: "copy",
    summary: "Copy messages from one endpoint to another",
    positionals: [
      { name: "SOURCE", help: "Endpoint URI to read from; - is standard input" },
      { name: "TARGET", help: "Endpoint URI to write to; - is standard output" },
    ],
    flags: [
      { name: "from", value: "SOURCE", help: "The source, instead of the argument" },
      { name: "to", value: "TARGET", help: "The target, instead of the argument" },
      { name: "filter", value: "EXPR", help: "Keep only messages for which the expression is true" },
      {
        name: "limit",
        value: "N",
        type: "integer",
        min: 1,
        conflicts: ["resume"],
        help: "Stop after N delivered messages",
      },
      { name: "drain", help: "Stop when the source is empty; otherwise the copy goes on until a signal" },
      {
        name: "wait",
        value: "SECS",
        type: "integer",
        max: 31_536_000,
        help: "Like --drain, but wait up to SECS for a source that is empty at first",
      },
      {
        name: "concurrency",
        value: "N",
        type: "integer",
        min: 1,
        max: 1_000_000,
        default: "4",
        help: "Batches in flight",
      },
      {
        name: "batch-size",
        value: "N",
        type: "integer",
        min: 1,
        max: 100_000_000,
        default: "what the target asks for, else 1024",
        help: "Most messages of a batch",
      },
      {
        name: "resume",
        conflicts: ["no-resume"],
        help: "Go on where the last copy of this source to this target ended",
      },
      { name: "no-resume", help: "Neither read nor keep a position" },
      { name: "verbose", short: "v", help: "Log what the copy does" },
      PLUGIN,
      COLOR,
      HELP,
    ],
    notes: [
      "Endpoint URIs: scheme:rest[?field=value&...][|middleware[?field=value&...]]...",
      "  mqb copy 'orders.csv?format=csv' 'orders.jsonl?format=raw' --drain",
      "  mqb copy 'file:in.jsonl' 'memory://orders|retry?max_attempts=5'",
      "$VAR and ${VAR} in a URI stand for environment variables; write %24 for a literal $, %7C for |, %26 for &.",
    ].join("\n"),
  },
  {
    name: "plugins",
    summary: "List the plugins that are found, and what each brings",
    positionals: [],
    flags: [CONFIG, CONFIG_STR, PLUGIN, { name: "json", help: "Print JSON" }, COLOR, HELP],
  },
  {
    name: "help",
    summary: "Print help, also for one command",
    positionals: [{ name: "COMMAND", help: "The command to explain" }],
    flags: [COLOR, HELP],
  },
  ...["mcp", "checkpoint", "status", "to-cli", "agent-listen", "list", "describe"].map((name) => ({
    name,
    summary: "",
    positionals: [],
    flags: [],
    refused: NOT_YET,
  })),
];
