#!/usr/bin/env node
import { version } from "./version.ts";

const argv = process.argv.slice(2);
try {
  // Asked for by scripts, and answered without loading anything else.
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    process.stdout.write(`mqb ${version()}\n`);
  } else {
    const { runProcess } = await import("./process.ts");
    await runProcess(argv);
  }
} catch (error) {
  // Too few open files are allowed to read its own parts, for example.
  process.stderr.write(`error: mqb could not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
