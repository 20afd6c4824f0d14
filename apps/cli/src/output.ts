import { createRedactor, type Redactor } from "@mqb/config/uri";
import { codeOf, describeError, isMqbError } from "@mqb/core/plugin";

/** The three streams of the process and what is known about them; tests give their own. */
export interface Streams {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
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
  /** Resolves when everything written so far has left the process, or nobody reads any more. */
  flushed(): Promise<void>;
}

export type ColorChoice = "auto" | "always" | "never";

export function createOutput(streams: Streams, color: ColorChoice, environment: NodeJS.ProcessEnv): Output {
  const redactor = createRedactor();
  const terminal = streams.stderr.isTTY === true;
  const noColor = environment["NO_COLOR"] !== undefined && environment["NO_COLOR"] !== "";
  const colored = color === "always" || (color === "auto" && terminal && !noColor);
  // Who closes the other end of a pipe has seen enough; that is no failure.
  for (const stream of [streams.stdout, streams.stderr]) stream.on("error", () => {});
  return {
    redactor,
    color: colored,
    terminal,
    result: (text) => void streams.stdout.write(text),
    notice: (text) => void streams.stderr.write(redactor.text(text)),
    error: (error) => {
      const code = codeOf(error);
      const label = code === undefined ? "error:" : `error[${code}]:`;
      streams.stderr.write(`${colored ? `\x1b[31m${label}\x1b[0m` : label} ${redactor.text(errorText(error))}\n`);
    },
    flushed: async () => {
      await Promise.all([drained(streams.stdout), drained(streams.stderr)]);
    },
  };
}

/** The messages of an error and its causes, and the first hint among them on a line of its own. */
function errorText(error: unknown): string {
  const hint = hintOf(error);
  return hint === undefined ? describeError(error) : `${describeError(error)}\n  hint: ${hint}`;
}

export function hintOf(error: unknown): string | undefined {
  for (let link = error, depth = 0; link !== undefined && link !== null && depth < 16; depth++) {
    if (isMqbError(link) && link.hint !== undefined) return link.hint;
    link = (link as { cause?: unknown }).cause;
  }
  return undefined;
}

function drained(stream: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => {
    if (!stream.writable) resolve();
    else stream.write("", () => resolve());
  });
}
