import type { CommandDeclaration } from "../args/declare.ts";
import { COLOR, CONFIGURATION, HELP, JSON_OUTPUT } from "../args/flags.ts";

export const PLUGINS: CommandDeclaration = {
  name: "plugins",
  summary: "List the plugins that are found, and what each brings",
  positionals: [],
  flags: [...CONFIGURATION, JSON_OUTPUT, COLOR, HELP],
  load: async () => (await import("./list.ts")).listPlugins,
};
