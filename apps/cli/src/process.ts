import { existsSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { describeError } from "@mqb/core/plugin";
import { cliErrors } from "./errors.ts";
import { EXIT } from "./exit.ts";
import { main } from "./main.ts";
import { type Diagnostics, newDiagnostics, stackOf } from "./output.ts";
import { printable } from "./printable.ts";
import { onHangup, stopOnSignal } from "./signals.ts";

const DOTENV = ".env";

/** Runs a command line as this process: signals, the environment, the exit code. Ends the process, whatever is left open. */
export async function runProcess(argv: readonly string[]): Promise<never> {
  const diagnostics = newDiagnostics();
  const crashed = (error: unknown): void => crash(error, diagnostics);
  process.on("unhandledRejection", crashed);
  process.on("uncaughtException", crashed);
  const { signal } = stopOnSignal((code) => process.exit(code));
  // Node would open its debugger at this signal, to everybody on this machine.
  process.on("SIGUSR1", () => {});
  // A route that waits for an in-process topic holds nothing open, and Node would take the process for finished.
  setInterval(() => {}, 2 ** 30);
  // What the environment has already wins over the file.
  if (existsSync(DOTENV)) process.loadEnvFile(DOTENV);
  const code = await main({
    argv,
    // Node makes the descriptor of a pipe non-blocking when it opens process.stdout, which a sink that writes rows to
    // standard output has to be spared.
    stdout: () => process.stdout,
    stderr: () => process.stderr,
    terminal: isatty(2),
    environment: process.env,
    // Asked for by commands that need it, so that the help is shown also where the folder is gone.
    get cwd() {
      return workingFolder();
    },
    stop: signal,
    onHangup: (listener) => onHangup(listener, isatty(0) || isatty(1) || isatty(2)),
    diagnostics,
    ...(isatty(0) && isatty(2) ? { ask: askOnTerminal } : {}),
  });
  process.exit(code);
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw cliErrors.NO_FOLDER({});
  }
}

/** A fault in mqb or a plugin that nobody caught. Going on would mean not knowing what was lost. */
function crash(error: unknown, { redactor, stacks }: Diagnostics): void {
  const where = stacks ? stackOf(error) : "\n  hint: RUST_LOG=debug shows where";
  try {
    writeSync(2, `error: unexpected: ${printable(redactor.text(describeError(error) + where))}\n`);
  } finally {
    process.exit(EXIT.failed);
  }
}

/** Asks one question. Ctrl-C ends the process, as a terminal that is being asked sends no signal; Ctrl-D is no answer. */
async function askOnTerminal(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  lines.once("SIGINT", () => process.exit(EXIT.interrupted));
  const closed = new Promise<never>((_, reject) => {
    lines.once("close", () => reject(cliErrors.USAGE({ message: "there was no answer" })));
  });
  closed.catch(() => {});
  try {
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}
