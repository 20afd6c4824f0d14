import { COMMANDS, PROGRAM } from "../commands.ts";
import { bashCompletion } from "./bash.ts";
import type { Shell } from "./declaration.ts";
import { fishCompletion } from "./fish.ts";
import { wordsOf } from "./words.ts";
import { zshCompletion } from "./zsh.ts";

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** A script that completes mqb's commands and flags, made from their declarations. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell](wordsOf(PROGRAM, COMMANDS));
}
