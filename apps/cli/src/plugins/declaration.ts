import type { CommandDeclaration } from "../args/declare.ts";
import { COLOR, CONFIGURATION, HELP, JSON_OUTPUT } from "../args/flags.ts";

const FLAGS = [...CONFIGURATION, JSON_OUTPUT, COLOR, HELP];
const FINDING =
  "Plugins are found in this order: the packages and paths under `plugins:` and of --plugin; the dependencies of the nearest package.json, from the folder of the configuration upwards; what mqb was installed with.";
const load = async () => (await import("./list.ts")).listPlugins;

const LIST: Omit<CommandDeclaration, "name" | "summary"> = {
  description: `Reads manifests only and imports no plugin. ${FINDING} Of two with one name the first counts.`,
  positionals: [],
  flags: FLAGS,
  notes:
    "With --json: [{ name, version, found, location, endpoints, middlewares, stores, schemes, expressions, problem }]. Exit code 1 when the manifest of one cannot be used.",
  examples: [{ command: "mqb plugins list", help: "What can be used from this folder:" }],
  load,
};

export const PLUGINS: CommandDeclaration = { ...LIST, name: "plugins", summary: "The same as `mqb plugins list`" };

export const PLUGINS_LIST: CommandDeclaration = {
  ...LIST,
  name: "plugins list",
  summary: "List the plugins that are found, and what each brings",
};

export const PLUGINS_INFO: CommandDeclaration = {
  name: "plugins info",
  summary: "Show the fields of an endpoint, a middleware or a whole plugin",
  description: `Shows each field with its type, default and description, and which ones are secret, from the schema that the plugin is published with. A plugin without one is imported. ${FINDING}`,
  positionals: [{ name: "NAME", help: "A package, or the name of an endpoint, a middleware, a store or a URI scheme" }],
  flags: FLAGS,
  notes:
    "With --json: [{ name, version, found, location, endpoints, middlewares, stores, schemes }]; an endpoint or middleware is { description, aliases, input, output, written_as, fields: [{ path, type, required, default, description, secret, deprecated, aliases, examples }] } under its name.",
  examples: [
    { command: "mqb plugins info file", help: "What an endpoint takes:" },
    { command: "mqb plugins info @mqb/standard --json", help: "A whole plugin, for a program:" },
  ],
  load: async () => (await import("./info.ts")).pluginInfo,
};
