import type { CommandDeclaration, FlagDeclaration } from "./declare.ts";

const WIDTH = 100;
const INDENT = 26;

/** The help text of a command, made from its declaration. */
export function helpOf(command: CommandDeclaration, commands: readonly CommandDeclaration[] = []): string {
  const flags = command.flags.filter((flag) => flag.refused === undefined);
  const shown = commands.filter((one) => one.refused === undefined);
  const usage = [
    "mqb",
    command.name,
    "[OPTIONS]",
    ...command.positionals.map((one) => `[${one.name}]`),
    shown.length > 0 ? "[COMMAND]" : "",
  ];
  const parts = [
    command.summary,
    `Usage: ${usage.filter(Boolean).join(" ")}`,
    section(
      "Arguments",
      command.positionals.map((one) => [one.name, one.help]),
    ),
    section(
      "Commands",
      shown.map((one) => [one.name, one.summary]),
    ),
    section(
      "Options",
      flags.map((flag) => [flagText(flag), flagHelp(flag)]),
    ),
    (command.notes ?? "").split("\n").flatMap(wrapped).join("\n"),
  ];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

function flagText(flag: FlagDeclaration): string {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  return `${short}--${flag.name}${flag.value === undefined ? "" : ` <${flag.value}>`}`;
}

function flagHelp(flag: FlagDeclaration): string {
  const remarks = [
    flag.choices && `one of ${flag.choices.join(", ")}`,
    flag.default !== undefined && `default ${flag.default}`,
    flag.env !== undefined && `or ${flag.env}`,
    flag.repeat && "may be repeated",
  ].filter(Boolean);
  return remarks.length === 0 ? flag.help : `${flag.help} [${remarks.join("; ")}]`;
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

/** A line of the notes; what is indented stays as it is. */
function wrapped(line: string): string[] {
  return line.startsWith(" ") ? [line] : wrap(line, WIDTH);
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
