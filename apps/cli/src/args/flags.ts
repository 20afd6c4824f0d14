import type { Explained, FlagDeclaration } from "./declare.ts";

/** Flags that several commands take. */

export const HELP: FlagDeclaration = { name: "help", short: "h", help: "Print this help" };

export const PLUGIN: FlagDeclaration = {
  name: "plugin",
  value: "PACKAGE|PATH",
  repeat: true,
  file: true,
  help: "Load a plugin: a package, or a path from the working directory",
};

export const COLOR: FlagDeclaration = {
  name: "color",
  value: "WHEN",
  choices: ["auto", "always", "never"],
  default: "auto",
  help: "Colour messages; auto = on a terminal, unless NO_COLOR is set",
};

export const JSON_OUTPUT: FlagDeclaration = { name: "json", help: "Print JSON" };

/** What a command that reads a configuration takes. */
export const CONFIGURATION: readonly FlagDeclaration[] = [
  {
    name: "config",
    short: "c",
    value: "PATH",
    default: "config.yml if it exists",
    env: "CONFIG_FILE",
    file: true,
    help: "The configuration, YAML or JSON",
  },
  {
    name: "config-str",
    value: "YAML",
    env: "CONFIG_STRING",
    help: "A configuration as an argument, laid over the file",
  },
  {
    name: "init-config",
    short: "i",
    value: "PATH",
    env: "INIT_CONFIG_FILE",
    file: true,
    help: "The configuration to use while the file does not exist",
  },
  {
    name: "init-config-str",
    value: "YAML",
    env: "INIT_CONFIG_STRING",
    help: "The same as an argument; --init-config goes first",
  },
  PLUGIN,
];

/** Variables that steer how a command logs, and what it does with colour. */
export const LOG_VARIABLES: readonly Explained[] = [
  {
    name: "RUST_LOG",
    help: "what to log, before any other setting: debug, info, warn, error, off, or info,kafka=debug",
  },
  { name: "MQB_LOG_STDOUT", help: "1 writes logs to standard output, where no rows go there" },
  { name: "NO_COLOR", help: "no colour, unless --color says otherwise" },
];

/** Variables that running routes takes. */
export const RUN_VARIABLES: readonly Explained[] = [
  {
    name: "MQ_BRIDGE_DRAIN_IDLE_TIMEOUT_MS",
    help: "how long a source that knows no end must be silent to count as empty in a drain, in milliseconds; default 1000",
  },
  ...LOG_VARIABLES,
];

/** Files that every command reads. */
export const DOTENV_FILE: Explained = {
  name: ".env",
  help: "variables, in the working directory; what the environment has already goes first",
};

export const CONFIGURATION_FILES: readonly Explained[] = [
  { name: "config.yml", help: "the configuration, where no other one is named" },
  DOTENV_FILE,
];

/** Variables that set a value of the configuration. */
export const OVERLAY_VARIABLE: Explained = {
  name: "MQB__A__B__C",
  help: "sets the value at a.b.c of the configuration, over all files",
};
