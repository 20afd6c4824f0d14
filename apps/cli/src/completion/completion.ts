import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { EXIT } from "../exit.ts";
import { SHELLS, type Shell } from "./declaration.ts";
import { completionScript } from "./script.ts";

/** `mqb completion SHELL` */
export async function completion(args: ParsedArgs, { output }: CommandContext): Promise<number> {
  const shell = args.positionals[0] as Shell | undefined;
  if (shell === undefined) throw cliErrors.USAGE({ message: "for which shell?", hint: `one of ${SHELLS.join(", ")}` });
  output.result(completionScript(shell));
  return EXIT.ok;
}
