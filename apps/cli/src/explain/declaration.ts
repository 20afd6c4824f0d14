import type { CommandDeclaration } from "../args/declare.ts";
import { COLOR, CONFIGURATION, CONFIGURATION_FILES, HELP, JSON_OUTPUT, OVERLAY_VARIABLE } from "../args/flags.ts";

export const EXPLAIN: CommandDeclaration = {
  name: "explain",
  summary: "Say in words what a route does with a message, and what it promises",
  description:
    "Lists what touches a message in the order in which it does (a list of middlewares is read from its last entry), the delivery guarantee and why it is that one, what can be duplicated or lost, and what a drain, a stop and a reconnect do. All of it follows from what the endpoints and middlewares declare. Opens nothing.",
  positionals: [
    { name: "ROUTE", help: "The routes to explain; all that are enabled when none is named", repeat: true },
  ],
  flags: [...CONFIGURATION, JSON_OUTPUT, COLOR, HELP],
  notes:
    "With --json: { routes: [{ name, ok, description, road: [{ path, name, kind, text }], guarantee: { level, reason, required }, order, duplicated, lost, drain, stop, reconnect }] }. The last six are lists of sentences; a route that cannot start has problems instead.",
  exits: ["ok", "failed", "usage", "pluginsMissing"],
  environment: [OVERLAY_VARIABLE],
  files: CONFIGURATION_FILES,
  examples: [{ command: "mqb explain -c mqb.yaml orders", help: "What becomes of an order on its way:" }],
  load: async () => (await import("./explain.ts")).explain,
};
