import type { ParsedArgs } from "../args/parse.ts";
import { COMMANDS, PROGRAM } from "../commands.ts";
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { EXIT } from "../exit.ts";
import { bashCompletion } from "./bash.ts";
import { SHELLS, type Shell } from "./declaration.ts";
import { fishCompletion } from "./fish.ts";
import { wordsOf } from "./words.ts";
import { zshCompletion } from "./zsh.ts";

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** `mqb completion SHELL`: a script that completes mqb's commands and flags, made from their declarations. */
export async function completion(args: ParsedArgs, { output }: CommandContext): Promise<number> {
  const shell = args.positionals[0] as Shell | undefined;
  if (shell === undefined) throw cliErrors.USAGE({ message: "for which shell?", hint: `one of ${SHELLS.join(", ")}` });
  output.result(SCRIPTS[shell](wordsOf(PROGRAM, COMMANDS)));
  return EXIT.ok;
}
