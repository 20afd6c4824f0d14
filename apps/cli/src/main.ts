import { suggest } from "@mqb/core";
import { codeOf, describeError, isMqbError, systemClock } from "@mqb/core/plugin";
import type { CommandDeclaration } from "./args/declare.ts";
import { helpOf } from "./args/help.ts";
import { type CommandLine, parseCommandLine } from "./args/parse.ts";
import { COMMANDS, PROGRAM } from "./commands.ts";
import type { CommandContext } from "./context.ts";
import { cliErrors } from "./errors.ts";
import { EXIT } from "./exit.ts";
import { type ColorChoice, createOutput, type Diagnostics, type Output, type Streams } from "./output.ts";
import { version } from "./version.ts";

export interface Process extends Streams {
  readonly argv: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly stop: AbortSignal;
  /** See `CommandContext.onHangup`; left out = there are none. */
  readonly onHangup?: CommandContext["onHangup"];
  /** Shared with whoever prints when the process crashes. */
  readonly diagnostics?: Diagnostics;
  /** Asks the user one question; left out when nobody sits at a terminal. */
  readonly ask?: (question: string) => Promise<string>;
}

/** Runs one command line. Resolves with the exit code when everything it wrote has been taken; never rejects. */
export async function main(process: Process): Promise<number> {
  const output = createOutput(process, colorChoice(process.argv), process.environment, process.diagnostics);
  // A URL is quoted in many shapes: as a path, as a topic, in a message of the system.
  output.redactor.learn([...process.argv]);
  const code = await runLine(process, output);
  await output.flushed();
  if (output.failure === undefined) return code;
  output.error(cliErrors.CANNOT_WRITE({ path: "the output", reason: describeError(output.failure) }));
  await output.flushed();
  return EXIT.failed;
}

async function runLine(process: Process, output: Output): Promise<number> {
  try {
    const line = parseCommandLine(process.argv, PROGRAM, COMMANDS);
    try {
      return await dispatch(line, output, process);
    } catch (error) {
      if (line.args.has("json") && !output.hasResult) output.result(errorDocument(error, output));
      throw error;
    }
  } catch (error) {
    output.error(error);
    return isMqbError(error) && error.code === cliErrors.USAGE.code ? EXIT.usage : EXIT.failed;
  }
}

/** Who asked for JSON gets JSON, also when there is nothing but a fault to tell. */
function errorDocument(error: unknown, { redactor }: Output): string {
  const hint = isMqbError(error) ? error.hint : undefined;
  const shown = {
    code: codeOf(error) ?? null,
    message: redactor.text(describeError(error)),
    ...(hint === undefined ? {} : { hint: redactor.text(hint) }),
  };
  return `${JSON.stringify({ error: shown }, null, 2)}\n`;
}

async function dispatch(
  { command, args, help, version: wantsVersion }: CommandLine,
  output: Output,
  process: Process,
): Promise<number> {
  if (help || command.name === "help") {
    output.result(helpFor(help ? command.name : args.positionals.join(" ")));
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
  if (command) return helpOf(command);
  const known = COMMANDS.filter((one) => one.refused === undefined).map((one) => one.name);
  const group = known.filter((one) => one.startsWith(`${name} `));
  const hint = group.length > 0 ? `one of ${group.join(", ")}` : suggest(name, known);
  throw cliErrors.USAGE({ message: `there is no command "${name}"`, hint });
}

function commandContext(output: Output, process: Process): CommandContext {
  const { environment, stop, ask, onHangup = () => () => {} } = process;
  return {
    output,
    environment,
    get cwd() {
      return process.cwd;
    },
    clock: systemClock,
    stop,
    onHangup,
    drainIdle: drainIdle(environment),
    ...(ask === undefined ? {} : { ask }),
  };
}

function drainIdle(environment: NodeJS.ProcessEnv): { drainIdleMs?: number } {
  const name = "MQ_BRIDGE_DRAIN_IDLE_TIMEOUT_MS";
  const text = environment[name];
  if (text === undefined || text === "") return {};
  if (!/^\d{1,9}$/.test(text))
    throw cliErrors.BAD_VARIABLE({ name, value: text, wanted: "milliseconds, as a whole number" });
  return { drainIdleMs: Number(text) };
}
