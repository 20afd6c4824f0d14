#!/usr/bin/env node
import { keptText } from "./kept-texts.ts";
import { version } from "./version.ts";

const argv = process.argv.slice(2);
void start();

/** What scripts and shells ask for is answered without loading anything else. */
async function start(): Promise<void> {
  try {
    const isVersion = argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V");
    const text = isVersion ? `mqb ${version()}\n` : keptText(argv);
    if (text !== undefined) return print(text);
    const { runProcess } = await import("./process.ts");
    await runProcess(argv);
  } catch (error) {
    // Too few open files are allowed to read its own parts, for example.
    fail(`mqb could not start: ${reasonOf(error)}`);
  }
}

function print(text: string): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // Who closes the other end of a pipe has seen enough; that is no failure.
    if (error.code !== "EPIPE") fail(`the output cannot be written: ${error.message}`, "[MQB_CLI_CANNOT_WRITE]");
  });
  process.stdout.write(text);
}

function fail(message: string, code = ""): void {
  process.stderr.write(`error${code}: ${message}\n`);
  process.exitCode = 1;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
