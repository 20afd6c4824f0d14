import type { CommandDeclaration, FlagDeclaration } from "../args/declare.ts";

/** What a shell needs to know of a command to complete its line. */
export interface CommandWords {
  /** Empty for the program itself; of two words for one of a group. */
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly FlagDeclaration[];
  /** What the arguments may be: fixed words, files, or nothing that is known. */
  readonly choices: readonly string[];
  readonly files: boolean;
}

/** The commands and flags that work, without those that are only refused by name. */
export function wordsOf(program: CommandDeclaration, commands: readonly CommandDeclaration[]): readonly CommandWords[] {
  const shown = commands.filter((one) => one.refused === undefined);
  const names = shown.map((one) => one.name);
  return [program, ...shown].map((command) => ({
    name: command.name,
    summary: command.summary,
    flags: command.flags.filter((flag) => flag.refused === undefined),
    choices: [
      ...command.positionals.flatMap((one) => one.choices ?? []),
      ...(command.name === "help" ? firstWords(names) : []),
    ],
    files: command.positionals.some((one) => one.file === true),
  }));
}

/** The first words of all commands, once each. */
export function firstWords(names: readonly string[]): string[] {
  return [...new Set(names.filter((name) => name !== "").map((name) => name.split(" ")[0]!))];
}

/** The second words behind each first one that has any. */
export function groups(commands: readonly CommandWords[]): ReadonlyMap<string, readonly CommandWords[]> {
  const found = new Map<string, CommandWords[]>();
  for (const command of commands) {
    const [first, second] = command.name.split(" ");
    if (second !== undefined) found.set(first!, [...(found.get(first!) ?? []), command]);
  }
  return found;
}

/** In single quotes, for any of the three shells. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
