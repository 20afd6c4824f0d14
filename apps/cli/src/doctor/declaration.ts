import type { CommandDeclaration } from "../args/declare.ts";
import {
  COLOR,
  CONFIGURATION,
  CONFIGURATION_FILES,
  HELP,
  JSON_OUTPUT,
  LOG_VARIABLES,
  OVERLAY_VARIABLE,
} from "../args/flags.ts";

export const DOCTOR: CommandDeclaration = {
  name: "doctor",
  summary: "Connect to everything that the routes name, and say what is missing",
  description:
    "Checks the configuration, then looks at each endpoint and state store of the routes: whether it can be reached, takes the credentials, has the topic, table or file, and permits what the route does; also whether clocks agree and whether a route reads what it writes. Writes nothing and takes no message. An endpoint that offers no way to be looked at is opened and closed where that is harmless, and is reported as not probed otherwise.",
  positionals: [
    { name: "ROUTE", help: "The routes to look at; all that are enabled when none is named", repeat: true },
  ],
  flags: [
    ...CONFIGURATION,
    {
      name: "timeout",
      value: "SECS",
      type: "integer",
      min: 1,
      max: 3600,
      default: "5",
      help: "How long one endpoint may take to answer",
    },
    JSON_OUTPUT,
    COLOR,
    HELP,
  ],
  notes:
    "With --json: { ok, exit_code, routes: [{ name, problems, places: [{ path, name, how, findings: [{ check, ok, detail, hint }] }] }] }. `how` is probed, opened or not probed; `check` is a word such as reachable, credentials, exists, readable, writable, space, codec, clock, loop.",
  exits: ["ok", "failed", "usage", "pluginsMissing", "unreachable"],
  environment: [OVERLAY_VARIABLE, ...LOG_VARIABLES],
  files: CONFIGURATION_FILES,
  examples: [
    { command: "mqb doctor -c mqb.yaml", help: "Before a deployment:" },
    {
      command: "mqb doctor -c mqb.yaml orders --timeout 20 --json",
      help: "One route, over a slow line, for a program:",
    },
  ],
  load: async () => (await import("./doctor.ts")).doctor,
};
