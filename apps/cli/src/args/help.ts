import { EXIT, EXIT_MEANINGS } from "../exit.ts";
import { type CommandDeclaration, exitsOf, type FlagDeclaration, type PositionalDeclaration } from "./declare.ts";

const WIDTH = 100;
const INDENT = 26;

/** The help text of a command, made from its declaration: a manual page in plain text. */
export function helpOf(command: CommandDeclaration, commands: readonly CommandDeclaration[] = []): string {
  const shown = commands.filter((one) => one.refused === undefined);
  const parts = [
    command.summary,
    `Usage: ${usageOf(command, shown.length > 0)}`,
    prose(command.description),
    section(
      "Arguments",
      command.positionals.map((one) => [one.name, argumentHelp(one)]),
    ),
    section(
      "Commands",
      shown.map((one) => [one.name, one.summary]),
    ),
    section(
      "Options",
      shownFlags(command).map((flag) => [flagText(flag), flagHelp(flag)]),
    ),
    prose(command.notes),
    section(
      "Exit codes",
      exitsOf(command).map((exit) => [String(EXIT[exit]), EXIT_MEANINGS[exit]]),
    ),
    section(
      "Environment",
      variablesOf(command).map((one) => [one.name, one.help]),
    ),
    section(
      "Files",
      (command.files ?? []).map((one) => [one.name, one.help]),
    ),
    examples(command),
  ];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

/** `mqb copy [OPTIONS] [SOURCE] [TARGET]` */
export function usageOf(command: CommandDeclaration, takesCommand = false): string {
  const positionals = command.positionals.map((one) => `[${one.name}]${one.repeat ? "..." : ""}`);
  const parts = ["mqb", command.name, "[OPTIONS]", ...positionals, takesCommand ? "[COMMAND]" : ""];
  return parts.filter(Boolean).join(" ");
}

/** The flags that work. */
export function shownFlags(command: CommandDeclaration): readonly FlagDeclaration[] {
  return command.flags.filter((flag) => flag.refused === undefined);
}

/** The variables that a command reads: those that stand in for a flag, and its own. */
export function variablesOf(command: CommandDeclaration): readonly { readonly name: string; readonly help: string }[] {
  const ofFlags = shownFlags(command).flatMap((flag) =>
    flag.env === undefined ? [] : [{ name: flag.env, help: `stands in for --${flag.name}` }],
  );
  return [...ofFlags, ...(command.environment ?? [])];
}

export function flagText(flag: FlagDeclaration): string {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  return `${short}--${flag.name}${valueText(flag)}`;
}

export function valueText({ value, alone }: FlagDeclaration): string {
  if (value === undefined) return "";
  return alone === undefined ? ` <${value}>` : ` [${value}]`;
}

export function flagHelp(flag: FlagDeclaration): string {
  const remarks = [
    flag.choices && `one of ${flag.choices.join(", ")}`,
    flag.default !== undefined && `default ${flag.default}`,
    flag.env !== undefined && `or ${flag.env}`,
    flag.repeat && "may be repeated",
    flag.conflicts && `not with ${flag.conflicts.map((name) => `--${name}`).join(", ")}`,
  ].filter(Boolean);
  return remarks.length === 0 ? flag.help : `${flag.help} [${remarks.join("; ")}]`;
}

export function argumentHelp({ help, choices }: PositionalDeclaration): string {
  return choices ? `${help} [one of ${choices.join(", ")}]` : help;
}

function examples(command: CommandDeclaration): string {
  if (!command.examples) return "";
  const lines = command.examples.flatMap(({ command: line, help }) => [
    ...wrap(help, WIDTH - 2).map((text) => `  ${text}`),
    `      ${line}`,
  ]);
  return ["Examples:", ...lines].join("\n");
}

function section(title: string, rows: readonly (readonly [string, string])[]): string {
  if (rows.length === 0) return "";
  return [`${title}:`, ...rows.flatMap(([name, text]) => row(name, text))].join("\n");
}

function row(name: string, text: string): string[] {
  const lines = wrap(text, WIDTH - INDENT);
  const head = `  ${name}`;
  if (head.length + 2 > INDENT) return [head, ...lines.map((line) => " ".repeat(INDENT) + line)];
  return [head.padEnd(INDENT) + (lines[0] ?? ""), ...lines.slice(1).map((line) => " ".repeat(INDENT) + line)];
}

/** Paragraphs, wrapped: lines that follow each other belong together. What is indented stays as it is. */
function prose(text = ""): string {
  return paragraphs(text)
    .flatMap(({ isCode, lines }, index) => [
      ...(index > 0 ? [""] : []),
      ...(isCode ? lines.map((line) => `  ${line}`) : wrap(lines.join(" "), WIDTH)),
    ])
    .join("\n");
}

/** A text taken apart: paragraphs, which empty lines separate, and blocks of indented lines. */
export function paragraphs(text: string): { readonly isCode: boolean; readonly lines: readonly string[] }[] {
  const found: { readonly isCode: boolean; readonly lines: string[] }[] = [];
  let open = false;
  for (const line of text.split("\n")) {
    const isCode = line.startsWith(" ");
    const last = found.at(-1);
    if (line === "") open = false;
    else if (open && last?.isCode === isCode) last.lines.push(line.trim());
    else found.push({ isCode, lines: [line.trim()] });
    if (line !== "") open = true;
  }
  return found;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length + 1 > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}
