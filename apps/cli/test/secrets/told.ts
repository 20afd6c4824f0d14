import { Writable } from "node:stream";
import { main, type Process } from "../../src/main.ts";

export interface Told {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process and keeps what it says. */
export async function told(
  argv: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv } & Partial<Pick<Process, "stop" | "ask">>,
): Promise<Told> {
  const { cwd, env = {}, ...rest } = options;
  const said = { stdout: "", stderr: "" };
  const sink = (name: keyof typeof said): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        said[name] += String(chunk);
        done();
      },
    });
  const stdout = sink("stdout");
  const stderr = sink("stderr");
  const code = await main({
    argv,
    environment: env,
    cwd,
    stop: new AbortController().signal,
    stdout: () => stdout,
    stderr: () => stderr,
    terminal: false,
    ...rest,
  });
  return { code, ...said };
}
