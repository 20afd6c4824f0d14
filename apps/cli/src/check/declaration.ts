import type { CommandDeclaration } from "../args/declare.ts";
import { COLOR, CONFIGURATION, CONFIGURATION_FILES, HELP, JSON_OUTPUT, OVERLAY_VARIABLE } from "../args/flags.ts";

export const CHECK: CommandDeclaration = {
  name: "check",
  summary: "Say everything that is wrong with a configuration, without connecting",
  description:
    "Reads the configuration as `mqb run` does, checks every enabled route against the plugins that are installed, and lists all faults with file, line, column and the line itself, in the order of the document. Opens nothing and changes nothing.",
  positionals: [],
  flags: [...CONFIGURATION, { name: "strict", help: "Also fail for warnings" }, JSON_OUTPUT, COLOR, HELP],
  notes: [
    "With --json: { source, ok, exit_code, errors, warnings, notes, routes: [{ name, enabled, ok, guarantee, guarantee_reason }], problems: [{ level, code, path, source, line, column, message, hint }] }. The level is error, warning or note; line and column count from 1 and are 0 for what is no text.",
  ].join("\n"),
  exits: ["ok", "failed", "usage", "pluginsMissing", "warnings"],
  environment: [OVERLAY_VARIABLE],
  files: CONFIGURATION_FILES,
  examples: [
    { command: "mqb check -c mqb.yaml", help: "Check a file:" },
    { command: "mqb check -c mqb.yaml --strict --json", help: "In a pipeline, with warnings as failures:" },
  ],
  load: async () => (await import("./check.ts")).check,
};
