import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const BIN = join(ROOT, "apps/cli/dist/mqb.cjs");

/** Bundles the command that the tests spawn, from the sources; takes a quarter of a second. */
export function buildCli(): void {
  execFileSync(process.execPath, [join(ROOT, "apps/cli/scripts/bundle.mjs")], { stdio: "inherit" });
}

export function scratchFolder(): { readonly path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "mqb-cli-")));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface CliOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Written to standard input, which is closed then; left out = standard input is empty. */
  readonly stdin?: Uint8Array | string;
  /** Standard input is not closed. */
  readonly keepStdin?: boolean;
}

export interface Finished {
  /** The exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. */
export interface Running {
  readonly child: ChildProcess;
  readonly done: Promise<Finished>;
  /** Resolves when stderr has matched. Rejects when the command ends before. */
  stderr(pattern: RegExp): Promise<void>;
  stdout(pattern: RegExp): Promise<void>;
  /** What stderr holds so far. */
  text(): string;
}

export function startCli(args: readonly string[], options: CliOptions): Running {
  // Only what a test sets may steer the command, not the shell that runs the tests.
  const env = { PATH: process.env["PATH"], HOME: options.cwd, ...options.env };
  const child = spawn(process.execPath, [BIN, ...args], { cwd: options.cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const text = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      text[name] += chunk;
      for (const watcher of watchers) watcher();
    });
  }
  child.stdin.on("error", () => {});
  if (options.keepStdin) child.stdin.write(options.stdin ?? "");
  else child.stdin.end(options.stdin ?? "");
  const done = new Promise<Finished>((resolve) => {
    child.once("close", (code, signal) => resolve({ code: code ?? signal!, ...text }));
  });
  const appears = (name: "stdout" | "stderr", pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!pattern.test(text[name])) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
      void done.then(() => reject(new Error(`ended before ${pattern} appeared:\n${text.stderr}`)));
    });
  return {
    child,
    done,
    stderr: (pattern) => appears("stderr", pattern),
    stdout: (pattern) => appears("stdout", pattern),
    text: () => text.stderr,
  };
}

export function runCli(args: readonly string[], options: CliOptions): Promise<Finished> {
  return startCli(args, options).done;
}
