import { isMqbError, systemClock } from "@mqb/core/plugin";
import type { CommandDeclaration } from "./args/declare.ts";
import { helpOf } from "./args/help.ts";
import { type CommandLine, parseCommandLine } from "./args/parse.ts";
import { COMMANDS, PROGRAM } from "./commands.ts";
import type { CommandContext } from "./context.ts";
import { cliErrors } from "./errors.ts";
import { EXIT } from "./exit.ts";
import { type ColorChoice, createOutput, type Output, type Streams } from "./output.ts";
import { version } from "./version.ts";

export interface Process extends Streams {
  readonly argv: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly stop: AbortSignal;
}

/** Runs one command line. Resolves with the exit code when everything it wrote has been taken; never rejects. */
export async function main(process: Process): Promise<number> {
  const output = createOutput(process, colorChoice(process.argv), process.environment);
  try {
    return await dispatch(parseCommandLine(process.argv, PROGRAM, COMMANDS), output, process);
  } catch (error) {
    output.error(error);
    return isMqbError(error) && error.code === cliErrors.USAGE.code ? EXIT.usage : EXIT.failed;
  } finally {
    await output.flushed();
  }
}

async function dispatch(
  { command, args, help, version: wantsVersion }: CommandLine,
  output: Output,
  process: Process,
): Promise<number> {
  if (help || command.name === "help") {
    output.result(helpFor(help ? command.name : (args.positionals[0] ?? "")));
    return EXIT.ok;
  }
  if (wantsVersion) {
    output.result(`mqb ${version()}\n`);
    return EXIT.ok;
  }
  const run = await command.load!();
  return await run(args, commandContext(output, process));
}

/** The colour is wanted already for a message about the arguments themselves. */
function colorChoice(argv: readonly string[]): ColorChoice {
  const at = argv.findIndex((argument) => argument === "--color" || argument.startsWith("--color="));
  const value = argv[at]?.split("=")[1] ?? argv[at + 1];
  return at >= 0 && (value === "always" || value === "never") ? value : "auto";
}

function helpFor(name: string): string {
  if (name === "") return helpOf(PROGRAM, COMMANDS);
  const command: CommandDeclaration | undefined = COMMANDS.find(
    (one) => one.name === name && one.refused === undefined,
  );
  if (!command) throw cliErrors.USAGE({ message: `there is no command "${name}"` });
  return helpOf(command);
}

function commandContext(output: Output, process: Process): CommandContext {
  const { cwd, environment, stop } = process;
  return { output, environment, cwd, clock: systemClock, stop, drainIdle: drainIdle(environment) };
}

function drainIdle(environment: NodeJS.ProcessEnv): { drainIdleMs?: number } {
  const name = "MQ_BRIDGE_DRAIN_IDLE_TIMEOUT_MS";
  const text = environment[name];
  if (text === undefined || text === "") return {};
  if (!/^\d{1,9}$/.test(text))
    throw cliErrors.BAD_VARIABLE({ name, value: text, wanted: "milliseconds, as a whole number" });
  return { drainIdleMs: Number(text) };
}
