import type { CommandDeclaration } from "../args/declare.ts";
import { COLOR, DOTENV_FILE, HELP, PLUGIN, RUN_VARIABLES } from "../args/flags.ts";

export const COPY: CommandDeclaration = {
  name: "copy",
  summary: "Copy messages from one endpoint to another",
  positionals: [
    { name: "SOURCE", help: "Endpoint URI to read from; - is standard input", file: true },
    { name: "TARGET", help: "Endpoint URI to write to; - is standard output", file: true },
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
    { name: "no-resume", help: "Neither read nor keep a position that the source would keep of its own accord" },
    { name: "verbose", short: "v", help: "Log what the copy does" },
    PLUGIN,
    COLOR,
    HELP,
  ],
  notes: [
    "Endpoint URIs: scheme:rest[?field=value&...][|middleware[?field=value&...]]...",
    "A path without a scheme is a file; - is standard input or output.",
    'A member of an object field is written with a dot, or the field as a JSON literal: csv={"separator":";"}. An endpoint inside a URI is a URI itself, with & written %26, # %23 and | %7C: fanout:?to=file:a.jsonl&to=file:b.txt%3Fformat=raw.',
    "$VAR and ${VAR} in a URI stand for environment variables; write %24 for a literal $, %7C for |, %26 for &.",
    "A file that dead letters go to is made when the copy starts: whether it can be written shows before the first failure.",
    "--resume keeps a position for each source, destination and filter, at the source or where it is told to; passwords do not count. Not for files and pipes.",
    "A missing or wrong SOURCE or TARGET ends with 1, an unknown flag or a wrong value with 2.",
  ].join("\n\n"),
  exits: ["ok", "failed", "usage", "interrupted", "terminated"],
  environment: RUN_VARIABLES,
  files: [DOTENV_FILE],
  examples: [
    {
      command: "mqb copy 'orders.csv?format=csv' 'orders.jsonl?format=raw' --drain",
      help: "A file, in another format:",
    },
    {
      command: "mqb copy 'in.csv?format=csv&csv.separator=auto' 'out.jsonl?format=raw' --drain",
      help: "With a member of an object field:",
    },
    {
      command:
        "producer | mqb copy '-?format=raw' 'file:log.txt|retry?max_attempts=5|dlq?endpoint=file:rejected.jsonl'",
      help: "From a pipe, with middlewares on the target:",
    },
  ],
  load: async () => (await import("./copy.ts")).copy,
};
