import type { FlagDeclaration } from "../args/declare.ts";
import { type CommandWords, groups, quoted } from "./words.ts";

/** Completions for fish: `mqb completion fish > ~/.config/fish/completions/mqb.fish`. */
export function fishCompletion(commands: readonly CommandWords[]): string {
  const seconds = groups(commands);
  const lines = ["# fish completion of mqb; put it into ~/.config/fish/completions/mqb.fish", "complete -c mqb -f"];
  const firsts = new Set<string>();
  for (const command of commands) {
    const [first = "", second] = command.name.split(" ");
    if (first !== "" && !firsts.has(first)) {
      firsts.add(first);
      lines.push(`complete -c mqb -n __fish_use_subcommand -a ${first} -d ${fishQuoted(command.summary)}`);
    }
    if (second !== undefined) {
      const others = seconds.get(first)!.map((one) => one.name.slice(first.length + 1));
      const none = `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${others.join(" ")}`;
      lines.push(`complete -c mqb -n ${quoted(none)} -a ${second} -d ${fishQuoted(command.summary)}`);
    }
    const condition = conditionOf(first, second);
    for (const flag of command.flags) lines.push(flagLine(flag, condition));
    if (command.choices.length > 0)
      lines.push(`complete -c mqb -n ${condition} -a ${fishQuoted(command.choices.join(" "))}`);
    if (command.files) lines.push(`complete -c mqb -n ${condition} -F`);
  }
  return `${lines.join("\n")}\n`;
}

function conditionOf(first: string, second: string | undefined): string {
  if (first === "") return "__fish_use_subcommand";
  const seen = `__fish_seen_subcommand_from ${first}`;
  return quoted(second === undefined ? seen : `${seen}; and __fish_seen_subcommand_from ${second}`);
}

function flagLine(flag: FlagDeclaration, condition: string): string {
  const short = flag.short === undefined ? "" : ` -s ${flag.short}`;
  const value =
    flag.value === undefined
      ? ""
      : flag.choices
        ? ` -x -a ${quoted(flag.choices.join(" "))}`
        : flag.file
          ? " -r -F"
          : " -x";
  return `complete -c mqb -n ${condition} -l ${flag.name}${short}${value} -d ${fishQuoted(flag.help)}`;
}

/** Fish knows the backslash inside single quotes. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
