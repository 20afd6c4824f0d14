import { existsSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { createRedactor } from "@mqb/config/uri";
import { describeError } from "@mqb/core/plugin";
import { EXIT } from "./exit.ts";
import { main } from "./main.ts";
import { stopOnSignal } from "./signals.ts";

const DOTENV = ".env";

/** Runs a command line as this process: signals, the environment, the exit code. Ends the process, whatever is left open. */
export async function runProcess(argv: readonly string[]): Promise<never> {
  process.on("unhandledRejection", crash);
  process.on("uncaughtException", crash);
  const { signal } = stopOnSignal((code) => process.exit(code));
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
    cwd: process.cwd(),
    stop: signal,
  });
  process.exit(code);
}

/** A fault in mqb or a plugin that nobody caught. Going on would mean not knowing what was lost. */
function crash(error: unknown): void {
  const stack = error instanceof Error && error.stack ? `\n${error.stack.split("\n").slice(1, 6).join("\n")}` : "";
  try {
    writeSync(2, `error: unexpected: ${createRedactor().text(describeError(error) + stack)}\n`);
  } finally {
    process.exit(EXIT.failed);
  }
}
