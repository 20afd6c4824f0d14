import type { CommandDeclaration } from "../args/declare.ts";
import { COLOR, HELP, PLUGIN } from "../args/flags.ts";

export const COPY: CommandDeclaration = {
  name: "copy",
  summary: "Copy messages from one endpoint to another",
  positionals: [
    { name: "SOURCE", help: "Endpoint URI to read from; - is standard input" },
    { name: "TARGET", help: "Endpoint URI to write to; - is standard output" },
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
    { name: "no-resume", help: "Neither read nor keep a position" },
    { name: "verbose", short: "v", help: "Log what the copy does" },
    PLUGIN,
    COLOR,
    HELP,
  ],
  notes: [
    "Endpoint URIs: scheme:rest[?field=value&...][|middleware[?field=value&...]]...",
    "  mqb copy 'orders.csv?format=csv' 'orders.jsonl?format=raw' --drain",
    "  mqb copy 'file:in.jsonl' 'memory://orders|retry?max_attempts=5'",
    "$VAR and ${VAR} in a URI stand for environment variables; write %24 for a literal $, %7C for |, %26 for &.",
  ].join("\n"),
  load: async () => (await import("./copy.ts")).copy,
};
