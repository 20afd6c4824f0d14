import type { CommandDeclaration } from "../args/declare.ts";
import { COLOR, HELP, PLUGIN } from "../args/flags.ts";

export const INIT: CommandDeclaration = {
  name: "init",
  summary: "Write a configuration with one route, with comments",
  description:
    "Makes a configuration from two endpoint URIs and checks it before it is written. What is not given as a flag is asked for, on a terminal; each answer is checked when it is given. ${NAME} in a URI stays a reference to the environment variable. A password, token or key that stands in a URI is not written: a variable takes its place, and stderr names it.",
  positionals: [],
  flags: [
    { name: "from", value: "URI", help: "Where messages come from" },
    { name: "to", value: "URI", help: "Where they go" },
    { name: "name", value: "NAME", default: "main", help: "What the route is called" },
    { name: "out", value: "PATH", file: true, default: "config.yml", help: "The file to write; - is standard output" },
    { name: "force", help: "Write over a file that is there" },
    PLUGIN,
    COLOR,
    HELP,
  ],
  files: [{ name: "config.yml", help: "what is written where --out says nothing" }],
  examples: [
    { command: "mqb init --from 'orders.csv?format=csv' --to orders.jsonl", help: "From one file to another:" },
    {
      command: "mqb init --from 'file:in.jsonl' --to 'file:${DIR}/out.jsonl?format=raw' --name orders --out mqb.yaml",
      help: "With a variable, a name and another file:",
    },
  ],
  load: async () => (await import("./init.ts")).init,
};
