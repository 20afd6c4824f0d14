#!/usr/bin/env node
import { version } from "./version.ts";

const argv = process.argv.slice(2);
// Asked for by scripts, and answered without loading anything else.
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  process.stdout.write(`mqb ${version()}\n`);
} else {
  const { runProcess } = await import("./process.ts");
  await runProcess(argv);
}
