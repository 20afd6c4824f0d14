import type { CommandContext } from "../context.ts";
import type { Exit } from "../exit.ts";
import type { ParsedArgs } from "./parse.ts";

/** One flag of a command, declared once: parsing, conflicts, help, completion and the reference read it. */
export interface FlagDeclaration {
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  readonly help: string;
  /** Name of its value in the help; left out = a switch. */
  readonly value?: string;
  /** The value when none follows: the flag may be given alone. A value that follows begins with a digit. */
  readonly alone?: string;
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
  /** Its value is a path: a shell completes it. */
  readonly file?: boolean;
  /** Known, but refused: what the user reads instead. */
  readonly refused?: string;
}

export interface PositionalDeclaration {
  readonly name: string;
  readonly help: string;
  readonly choices?: readonly string[];
  /** Any number of them; only the last one may. */
  readonly repeat?: boolean;
  /** A path, or something that may be one: a shell completes it. */
  readonly file?: boolean;
}

/** A name with what it means: a variable, a file. */
export interface Explained {
  readonly name: string;
  readonly help: string;
}

export interface Example {
  readonly command: string;
  readonly help: string;
}

/** Runs a command; resolves with the exit code, rejects with what the user is to read. */
export type CommandFunction = (args: ParsedArgs, context: CommandContext) => Promise<number>;

export interface CommandDeclaration {
  /** Empty for the program itself, without a command. Two words for one of a group: `config show`. */
  readonly name: string;
  readonly summary: string;
  /** What it does, in paragraphs that an empty line separates. */
  readonly description?: string;
  readonly positionals: readonly PositionalDeclaration[];
  readonly flags: readonly FlagDeclaration[];
  /** More help, after the flags. Lines that are indented stay as they are. */
  readonly notes?: string;
  /** The exit codes that it ends with; left out = those of every command. */
  readonly exits?: readonly Exit[];
  /** Variables that it reads, beside those of its flags. */
  readonly environment?: readonly Explained[];
  readonly files?: readonly Explained[];
  readonly examples?: readonly Example[];
  /** Known, but refused: what the user reads instead. */
  readonly refused?: string;
  /** Imports its code: a copy does not wait for what only a configuration needs. */
  readonly load?: () => Promise<CommandFunction>;
}

export function findFlag(command: CommandDeclaration, name: string): FlagDeclaration | undefined {
  return command.flags.find((flag) => flag.name === name || flag.short === name);
}

/** The exit codes of a command, in their order. */
export function exitsOf(command: CommandDeclaration): readonly Exit[] {
  return command.exits ?? ["ok", "failed", "usage"];
}
