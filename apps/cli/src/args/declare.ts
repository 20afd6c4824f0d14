import type { CommandContext } from "../context.ts";
import type { ParsedArgs } from "./parse.ts";

/** One flag of a command, declared once: parsing, conflicts and help read it. */
export interface FlagDeclaration {
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  readonly help: string;
  /** Name of its value in the help; left out = a switch. */
  readonly value?: string;
  readonly type?: "text" | "integer";
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  /** May be given several times. */
  readonly repeat?: boolean;
  /** Shown in the help; the command applies it. */
  readonly default?: string;
  /** The variable that stands in for it, shown in the help. */
  readonly env?: string;
  readonly conflicts?: readonly string[];
  /** Known, but refused: what the user reads instead. */
  readonly refused?: string;
}

interface PositionalDeclaration {
  readonly name: string;
  readonly help: string;
}

/** Runs a command; resolves with the exit code, rejects with what the user is to read. */
export type CommandFunction = (args: ParsedArgs, context: CommandContext) => Promise<number>;

export interface CommandDeclaration {
  /** Empty for the program itself, without a command. */
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly PositionalDeclaration[];
  readonly flags: readonly FlagDeclaration[];
  /** More help, after the flags. */
  readonly notes?: string;
  /** Known, but refused: what the user reads instead. */
  readonly refused?: string;
  /** Imports its code: a copy does not wait for what only a configuration needs. */
  readonly load?: () => Promise<CommandFunction>;
}

export function findFlag(command: CommandDeclaration, name: string): FlagDeclaration | undefined {
  return command.flags.find((flag) => flag.name === name || flag.short === name);
}
