import { createRedactor, type Redactor } from "@mqb/config/uri";
import { codeOf, describeError, isMqbError } from "@mqb/core/plugin";
import { withInstallCommands } from "./plugins/install-command.ts";
import { printable } from "./printable.ts";

/** The streams that a command writes to. Asking for one may open it, so they are asked for only when something is written. */
export interface Streams {
  stdout(): NodeJS.WritableStream;
  stderr(): NodeJS.WritableStream;
  /** stderr is a terminal. */
  readonly terminal: boolean;
}

/** What everything that prints in a process shares, also when it crashes. */
export interface Diagnostics {
  readonly redactor: Redactor;
  /** Whether a message shows where in the code it comes from: at the level debug only. */
  stacks: boolean;
}

export function newDiagnostics(): Diagnostics {
  return { redactor: createRedactor(), stacks: false };
}

/** Where a command writes. Results go to stdout, everything else to stderr; no secret passes. */
export interface Output {
  readonly redactor: Redactor;
  readonly color: boolean;
  /** stderr is a terminal. */
  readonly terminal: boolean;
  /** To stdout, as it is. */
  result(text: string): void;
  /** To stderr, without a line break of its own. */
  notice(text: string): void;
  /** `error[CODE]: …` with its hint, to stderr. */
  error(error: unknown): void;
  /** From now on, errors show where in the code they come from. */
  showStacks(): void;
  /** Something was given to `result`. */
  readonly hasResult: boolean;
  /** Why something could not be written, other than that nobody reads it any more. */
  readonly failure: unknown;
  /** Resolves when everything written so far has left the process, or nobody reads any more. */
  flushed(): Promise<void>;
}

export type ColorChoice = "auto" | "always" | "never";

export function createOutput(
  streams: Streams,
  color: ColorChoice,
  environment: NodeJS.ProcessEnv,
  diagnostics: Diagnostics = newDiagnostics(),
): Output {
  const { redactor } = diagnostics;
  let hasResult = false;
  let failure: unknown;
  const noColor = environment["NO_COLOR"] !== undefined && environment["NO_COLOR"] !== "";
  const colored = color === "always" || (color === "auto" && streams.terminal && !noColor);
  const used = new Set<NodeJS.WritableStream>();
  const write = (stream: NodeJS.WritableStream, text: string): void => {
    // Who closes the other end of a pipe has seen enough; that is no failure.
    if (!used.has(stream))
      stream.on("error", (error) => {
        if ((error as NodeJS.ErrnoException).code !== "EPIPE") failure ??= error;
      });
    used.add(stream);
    stream.write(text);
  };
  return {
    redactor,
    color: colored,
    terminal: streams.terminal,
    get hasResult() {
      return hasResult;
    },
    result: (text) => {
      hasResult = true;
      write(streams.stdout(), text);
    },
    notice: (text) => write(streams.stderr(), redactor.text(text)),
    error: (error) => {
      const code = codeOf(error);
      const label = code === undefined ? "error:" : `error[${code}]:`;
      const shown = colored ? `\x1b[31m${label}\x1b[0m` : label;
      const text = withInstallCommands(errorText(error), environment);
      const stack = diagnostics.stacks ? stackOf(error) : "";
      write(streams.stderr(), `${shown} ${printable(redactor.text(text + stack))}\n`);
    },
    showStacks: () => {
      diagnostics.stacks = true;
    },
    get failure() {
      return failure;
    },
    flushed: async () => {
      await Promise.all([...used].map(drained));
    },
  };
}

/** The messages of an error and its causes, and the first hint among them on a line of its own. */
function errorText(error: unknown): string {
  const hint = hintOf(error);
  return hint === undefined ? describeError(error) : `${describeError(error)}\n  hint: ${hint}`;
}

function hintOf(error: unknown): string | undefined {
  for (let link = error, depth = 0; link !== undefined && link !== null && depth < 16; depth++) {
    if (isMqbError(link) && link.hint !== undefined) return link.hint;
    link = (link as { cause?: unknown }).cause;
  }
  return undefined;
}

/** Where an error was made, and its causes: a few lines of each. */
export function stackOf(error: unknown): string {
  const lines: string[] = [];
  for (let link = error, depth = 0; link instanceof Error && depth < 16; depth++) {
    lines.push(
      ...(link.stack ?? "")
        .split("\n")
        .filter((line) => /^\s+at /.test(line))
        .slice(0, 6),
    );
    link = link.cause;
  }
  return lines.map((line) => `\n${line}`).join("");
}

function drained(stream: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => {
    // A failure is told a moment after it has happened.
    if (!stream.writable) setImmediate(resolve);
    else stream.write("", () => resolve());
  });
}
