import type { CommandDeclaration } from "../args/declare.ts";
import { COLOR, HELP } from "../args/flags.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export const COMPLETION: CommandDeclaration = {
  name: "completion",
  summary: "Print a script with which a shell completes mqb's commands, flags and files",
  positionals: [{ name: "SHELL", help: "The shell", choices: SHELLS }],
  flags: [COLOR, HELP],
  examples: [
    { command: "source <(mqb completion bash)", help: "In ~/.bashrc:" },
    { command: "source <(mqb completion zsh)", help: "In ~/.zshrc, after compinit:" },
    { command: "mqb completion fish > ~/.config/fish/completions/mqb.fish", help: "Once, for fish:" },
  ],
  load: async () => (await import("./completion.ts")).completion,
};
