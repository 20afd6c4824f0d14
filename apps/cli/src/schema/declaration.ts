import type { CommandDeclaration } from "../args/declare.ts";
import { COLOR, CONFIGURATION, HELP } from "../args/flags.ts";

export const SCHEMA: CommandDeclaration = {
  name: "schema",
  summary: "Print the JSON Schema of a configuration, for the plugins that are installed",
  positionals: [],
  flags: [
    {
      name: "out",
      short: "o",
      value: "PATH",
      default: "-",
      help: "The file to write, with the folders that it needs; - is standard output",
    },
    ...CONFIGURATION,
    COLOR,
    HELP,
  ],
  notes: [
    "JSON Schema draft 2020-12. An editor with a YAML language server completes, explains and checks with it:",
    "  mqb schema --out .mqb/schema.json",
    "  # yaml-language-server: $schema=.mqb/schema.json        (first line of the configuration)",
    "The configuration is read only for its `plugins`. `mqb --schema PATH` is the same.",
  ].join("\n"),
  examples: [{ command: "mqb schema --out .mqb/schema.json", help: "For an editor:" }],
  load: async () => (await import("./schema.ts")).schema,
};
