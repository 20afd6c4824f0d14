import { shellQuoted } from "@mqb/config/uri";
import { nearest, suggest } from "@mqb/core";
import { cliErrors } from "../errors.ts";
import { type CommandDeclaration, type FlagDeclaration, findFlag } from "./declare.ts";

type FlagValue = true | string | number | readonly string[];

/** The arguments of one command, checked against its declaration. */
export class ParsedArgs {
  readonly positionals: readonly string[];
  private readonly flags: ReadonlyMap<string, FlagValue>;

  constructor(positionals: readonly string[], flags: ReadonlyMap<string, FlagValue>) {
    this.positionals = positionals;
    this.flags = flags;
  }

  has(name: string): boolean {
    return this.flags.has(name);
  }

  text(name: string): string | undefined {
    const value = this.flags.get(name);
    return typeof value === "string" ? value : undefined;
  }

  integer(name: string): number | undefined {
    const value = this.flags.get(name);
    return typeof value === "number" ? value : undefined;
  }

  texts(name: string): readonly string[] {
    const value = this.flags.get(name);
    return Array.isArray(value) ? value : [];
  }
}

export interface CommandLine {
  readonly command: CommandDeclaration;
  readonly args: ParsedArgs;
  /** `--help` was given, for this command. */
  readonly help: boolean;
  readonly version: boolean;
}

/**
 * Reads a command line. Flags before the command are those of the program; the command gets them when it takes them.
 * Throws a usage error for everything that no declaration allows. A value may begin with `-` where a value is due, and
 * an argument that is or begins like the URI `-` is no flag.
 */
export function parseCommandLine(
  argv: readonly string[],
  program: CommandDeclaration,
  commands: readonly CommandDeclaration[],
): CommandLine {
  const found = new Map<string, FlagValue>();
  const positionals: string[] = [];
  let command = program;
  let onlyPositionals = false;
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at]!;
    if (!onlyPositionals && argument === "--") {
      onlyPositionals = true;
    } else if (!onlyPositionals && isFlag(argument)) {
      at = takeFlags(argv, at, command, found);
    } else if (command === program && !onlyPositionals) {
      command = findCommand(argv, at, commands);
      if (command.name.includes(" ")) at += 1;
      refuseStrangers(command, found);
    } else {
      positionals.push(argument);
    }
  }
  const help = found.has("help");
  const version = found.has("version");
  if (!help && !version) checkWhole(command, positionals, found);
  return { command, args: new ParsedArgs(positionals, found), help, version };
}

function isFlag(argument: string): boolean {
  return argument.startsWith("-") && !/^-(?:$|[?|])/.test(argument);
}

/** Takes the flag at `at`, with its value or the letters that follow it; returns the position of what was used last. */
function takeFlags(
  argv: readonly string[],
  at: number,
  command: CommandDeclaration,
  found: Map<string, FlagValue>,
): number {
  const argument = argv[at]!;
  if (argument.startsWith("--")) {
    const equals = argument.indexOf("=");
    const name = equals < 0 ? argument.slice(2) : argument.slice(2, equals);
    const flag = findFlag(command, name);
    if (!flag || name.length < 2) throw unknownFlag(argument, argv[at + 1], command);
    return takeOne(flag, `--${name}`, equals < 0 ? undefined : argument.slice(equals + 1), argv, at, found);
  }
  for (let letter = 1; letter < argument.length; letter++) {
    const name = argument[letter]!;
    const flag = findFlag(command, name);
    if (!flag) throw unknownFlag(`-${name}`, undefined, command);
    const rest = argument.slice(letter + 1).replace(/^=/, "");
    if (flag.value !== undefined) return takeOne(flag, `-${name}`, rest === "" ? undefined : rest, argv, at, found);
    takeOne(flag, `-${name}`, undefined, argv, at, found);
  }
  return at;
}

function takeOne(
  flag: FlagDeclaration,
  shown: string,
  attached: string | undefined,
  argv: readonly string[],
  at: number,
  found: Map<string, FlagValue>,
): number {
  if (flag.refused !== undefined) throw cliErrors.USAGE({ message: `${shown} ${flag.refused}` });
  if (found.has(flag.name) && !flag.repeat) throw cliErrors.USAGE({ message: `${shown} is given twice` });
  if (flag.value === undefined) {
    if (attached !== undefined) throw cliErrors.USAGE({ message: `${shown} takes no value` });
    found.set(flag.name, true);
    return at;
  }
  const next = argv[at + 1];
  const text = attached ?? (flag.alone !== undefined && !/^\d/.test(next ?? "") ? flag.alone : next);
  if (text === undefined) throw cliErrors.USAGE({ message: `${shown} needs a value: ${shown} <${flag.value}>` });
  const value = flag.type === "integer" ? readInteger(text, flag, shown) : readText(text, flag, shown);
  const before = found.get(flag.name);
  found.set(flag.name, flag.repeat ? [...(Array.isArray(before) ? before : []), String(value)] : value);
  return attached === undefined && text === next ? at + 1 : at;
}

function readText(text: string, flag: FlagDeclaration, shown: string): string {
  if (!flag.choices || flag.choices.includes(text)) return text;
  throw cliErrors.USAGE({ message: `${shown} is one of ${flag.choices.join(", ")}, not "${text}"` });
}

function readInteger(text: string, flag: FlagDeclaration, shown: string): number {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = flag;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  const isOpen = max === Number.MAX_SAFE_INTEGER && !(value > max);
  const range = isOpen ? `of at least ${min}` : `from ${min} to ${max}`;
  throw cliErrors.USAGE({ message: `${shown} takes a whole number ${range}, not "${text}"` });
}

/** The command at `at`: of two words when there is one, else of one. */
function findCommand(argv: readonly string[], at: number, commands: readonly CommandDeclaration[]): CommandDeclaration {
  const name = argv[at]!;
  const second = argv[at + 1];
  const inGroup = commands.filter((one) => one.name.startsWith(`${name} `));
  const command = inGroup.find((one) => one.name === `${name} ${second}`) ?? commands.find((one) => one.name === name);
  if (command?.refused !== undefined) throw cliErrors.USAGE({ message: `"mqb ${command.name}" ${command.refused}` });
  if (command) return command;
  const shown = commands.filter((one) => one.refused === undefined).map((one) => one.name);
  if (inGroup.length > 0) throw halfCommand(name, second, inGroup);
  throw cliErrors.USAGE({
    message: `there is no command "${name}"`,
    hint: commandHint(name, argv.slice(at + 1), shown),
  });
}

function halfCommand(name: string, second: string | undefined, inGroup: readonly CommandDeclaration[]): Error {
  const seconds = inGroup.map((one) => one.name.slice(name.length + 1));
  if (second === undefined || second.startsWith("-"))
    return cliErrors.USAGE({ message: `"mqb ${name}" needs a word more`, hint: `one of ${seconds.join(", ")}` });
  return cliErrors.USAGE({ message: `there is no command "${name} ${second}"`, hint: suggest(second, seconds) });
}

/** What was probably meant, with the rest of the line kept, so that it can be copied. */
function commandHint(name: string, rest: readonly string[], known: readonly string[]): string {
  if (looksLikeFile(name)) return `for a configuration: mqb run -c ${shellQuoted(name)}`;
  const near = nearest(name, known);
  if (near === undefined) return suggest(name, known);
  return `did you mean "${near}"? mqb ${[near, ...rest].map(shellQuoted).join(" ")}`;
}

function looksLikeFile(text: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(text);
}

/** A flag that was given before the command must be one that the command takes. */
function refuseStrangers(command: CommandDeclaration, found: ReadonlyMap<string, FlagValue>): void {
  for (const name of found.keys()) {
    if (name === "help" || name === "version" || findFlag(command, name)) continue;
    throw cliErrors.USAGE({ message: `"mqb ${command.name}" does not take --${name}` });
  }
}

function checkWhole(
  command: CommandDeclaration,
  positionals: readonly string[],
  found: ReadonlyMap<string, FlagValue>,
): void {
  const extra = command.positionals.at(-1)?.repeat ? undefined : positionals[command.positionals.length];
  if (extra !== undefined) throw unexpected(extra, command);
  for (const [at, { name, choices }] of command.positionals.entries()) {
    const given = positionals[at];
    if (given === undefined || !choices || choices.includes(given)) continue;
    throw cliErrors.USAGE({
      message: `${name} is one of ${choices.join(", ")}, not "${given}"`,
      hint: suggest(given, choices),
    });
  }
  for (const name of found.keys()) {
    const other = findFlag(command, name)?.conflicts?.find((one) => found.has(one));
    if (other !== undefined) throw cliErrors.USAGE({ message: `--${name} cannot be used together with --${other}` });
  }
}

function unexpected(extra: string, command: CommandDeclaration): Error {
  const isConfiguration = looksLikeFile(extra) && findFlag(command, "config") !== undefined;
  const hint = `a configuration is given with -c: mqb ${command.name} -c ${shellQuoted(extra)}`;
  return cliErrors.USAGE({ message: `unexpected argument "${extra}"`, ...(isConfiguration ? { hint } : {}) });
}

/** `written` may hold a value after `=`; a value may follow. Both are kept in what is suggested. */
function unknownFlag(written: string, next: string | undefined, command: CommandDeclaration): Error {
  const equals = written.indexOf("=");
  const shown = equals < 0 ? written : written.slice(0, equals);
  const flags = command.flags.filter((flag) => flag.refused === undefined);
  const known = flags.map((flag) => `--${flag.name}`);
  const name = command.name === "" ? "mqb" : `mqb ${command.name}`;
  const message = `"${name}" has no flag ${shown}`;
  const near = nearest(shown, known);
  const takesValue = flags.find((flag) => `--${flag.name}` === near)?.value !== undefined;
  const kept = !takesValue ? "" : equals >= 0 ? written.slice(equals) : next === undefined ? "" : ` ${next}`;
  if (near === undefined) return cliErrors.USAGE({ message, hint: suggest(shown, known) });
  return cliErrors.USAGE({ message, hint: `did you mean "${near}${kept}"?` });
}
