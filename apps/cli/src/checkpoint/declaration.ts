import type { CommandDeclaration, FlagDeclaration } from "../args/declare.ts";
import { COLOR, CONFIGURATION, CONFIGURATION_FILES, HELP, JSON_OUTPUT } from "../args/flags.ts";

const WHICH: readonly FlagDeclaration[] = [
  { name: "route", value: "NAME", help: "The route of the configuration whose position is meant" },
  { name: "filter", value: "EXPR", help: "The filter of the copy that is meant" },
];
const FORCE: FlagDeclaration = { name: "force", help: "Also while the route is running" };
const ENDS = [
  { name: "SOURCE", help: "Without --route: the source of a copy, or a source that keeps its position by itself" },
  { name: "TARGET", help: "The target of that copy" },
];
const DESCRIPTION =
  "A position says how far a source was read: the offset of a group in a file, the cursor of a table. Positions that a server keeps (a consumer group, a replication slot) are for that server's own tools.\n\nThe position is that of a route of the configuration, or of a copy with --resume between the same source and target. Its route should be stopped; a running one that is known to `mqb status` is refused.";

const shared = { description: DESCRIPTION, positionals: ENDS, files: CONFIGURATION_FILES } as const;

export const CHECKPOINT_SHOW: CommandDeclaration = {
  ...shared,
  name: "checkpoint show",
  summary: "Show the position of a source",
  flags: [...CONFIGURATION, ...WHICH, JSON_OUTPUT, COLOR, HELP],
  examples: [
    { command: "mqb checkpoint show --route orders", help: "Of a route:" },
    { command: "mqb checkpoint show 'orders.jsonl?mode=group_subscribe&group_id=g'", help: "Of a file's group:" },
  ],
  load: async () => (await import("./checkpoint.ts")).showCheckpoint,
};

export const CHECKPOINT_RESET: CommandDeclaration = {
  ...shared,
  name: "checkpoint reset",
  summary: "Forget the position of a source, so that it is read from its beginning",
  flags: [...CONFIGURATION, ...WHICH, FORCE, JSON_OUTPUT, COLOR, HELP],
  examples: [{ command: "mqb checkpoint reset --route orders", help: "Prints the position that was there:" }],
  load: async () => (await import("./checkpoint.ts")).resetCheckpoint,
};

export const CHECKPOINT_SET: CommandDeclaration = {
  ...shared,
  name: "checkpoint set",
  summary: "Set the position of a source",
  flags: [
    ...CONFIGURATION,
    ...WHICH,
    { name: "value", value: "VALUE", help: "The position with its type, as `checkpoint show` prints it" },
    FORCE,
    JSON_OUTPUT,
    COLOR,
    HELP,
  ],
  examples: [{ command: "mqb checkpoint set --route orders --value int:0", help: "Back to the beginning:" }],
  load: async () => (await import("./checkpoint.ts")).setCheckpoint,
};
