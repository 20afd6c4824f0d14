import { helpOf } from "./args/help.ts";
import { COMMANDS, PROGRAM } from "./commands.ts";
import { SHELLS } from "./completion/declaration.ts";
import { completionScript } from "./completion/script.ts";

/**
 * What depends on nothing but the arguments, by these (`keyOf`): help and completion. Kept beside the bundle, so that a
 * shell that asks while somebody types does not wait until all of mqb is loaded.
 */
export function staticTexts(): ReadonlyMap<string, string> {
  const shown = COMMANDS.filter((one) => one.refused === undefined);
  const program = helpOf(PROGRAM, COMMANDS);
  const texts: [readonly string[], string][] = [
    [["--help"], program],
    [["-h"], program],
    [["help"], program],
  ];
  for (const command of shown) {
    const name = command.name.split(" ");
    const text = helpOf(command);
    texts.push([[...name, "--help"], text], [[...name, "-h"], text], [["help", ...name], text]);
  }
  for (const shell of SHELLS) texts.push([["completion", shell], completionScript(shell)]);
  return new Map(texts.map(([argv, text]) => [keyOf(argv), text]));
}

export function keyOf(argv: readonly string[]): string {
  return argv.join("\n");
}
