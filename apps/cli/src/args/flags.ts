import type { FlagDeclaration } from "./declare.ts";

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
