import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

export interface ProcessOptions {
  /** The program [this Node]. */
  readonly command?: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Added to the environment; `undefined` removes. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface LineWaiter {
  readonly pattern: RegExp;
  readonly resolve: (line: string) => void;
  readonly reject: (error: Error) => void;
}

/** Starts a program for a test. It is killed when the test ends: `await using mqb = runProcess({ args })`. */
export function runProcess(options: ProcessOptions): RunningProcess {
  const env = { ...process.env, ...options.env };
  const child = spawn(options.command ?? process.execPath, options.args, {
    env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  return new RunningProcess(child);
}

export class RunningProcess implements AsyncDisposable {
  readonly pid: number | undefined;
  /** What it wrote so far. */
  stdout = "";
  stderr = "";
  /** Resolves when it has ended and all its output is read. Rejects when it could not be started. */
  readonly ended: Promise<ProcessEnd>;
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly waiters = new Set<LineWaiter>();
  private over = false;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.pid = child.pid;
    this.listen("stdout");
    this.listen("stderr");
    // A program that has ended already does not read what is written to it.
    child.stdin.on("error", () => {});
    this.ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code, signal }));
    });
    const done = (): void => {
      this.over = true;
      for (const waiter of this.waiters) waiter.reject(this.noLine(waiter.pattern));
      this.waiters.clear();
    };
    this.ended.then(done, done);
  }

  /** The first whole line, written already or yet to come, that matches. Rejects with all output when it ends without. */
  line(pattern: RegExp): Promise<string> {
    const past = `${this.stdout}\n${this.stderr}`.split("\n").find((line) => pattern.test(line));
    if (past !== undefined) return Promise.resolve(past);
    if (this.over) return Promise.reject(this.noLine(pattern));
    return new Promise((resolve, reject) => this.waiters.add({ pattern, resolve, reject }));
  }

  /** Writes to its standard input. */
  write(input: string | Uint8Array): void {
    this.child.stdin.write(input);
  }

  endInput(): void {
    this.child.stdin.end();
  }

  /** Sends the signal and waits for the end. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<ProcessEnd> {
    this.child.kill(signal);
    return this.ended;
  }

  /**
   * Kills it at a moment between now and `withinMs` that `random` (0 to 1) chooses, unless it has ended before. To show
   * that a crash at any time loses nothing, run it often.
   */
  async killSomewhere(
    withinMs: number,
    signal: NodeJS.Signals = "SIGKILL",
    random: () => number = Math.random,
  ): Promise<ProcessEnd> {
    const timer = setTimeout(() => this.child.kill(signal), random() * withinMs);
    try {
      return await this.ended;
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.over) await this.kill().catch(() => {});
  }

  private listen(stream: "stdout" | "stderr"): void {
    let unfinished = "";
    this.child[stream].setEncoding("utf8").on("data", (text: string) => {
      this[stream] += text;
      const lines = (unfinished + text).split("\n");
      unfinished = lines.pop()!;
      for (const waiter of this.waiters) {
        const line = lines.find((one) => waiter.pattern.test(one));
        if (line === undefined) continue;
        this.waiters.delete(waiter);
        waiter.resolve(line);
      }
    });
  }

  private noLine(pattern: RegExp): Error {
    return new Error(
      `the process ended without a line like ${pattern}\n--- stdout\n${this.stdout}\n--- stderr\n${this.stderr}`,
    );
  }
}
