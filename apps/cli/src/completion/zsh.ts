import type { FlagDeclaration } from "../args/declare.ts";
import { type CommandWords, firstWords, groups, quoted } from "./words.ts";

/** A completion function for zsh, for a file `_mqb` in a folder of `$fpath`, or to be sourced after `compinit`. */
export function zshCompletion(commands: readonly CommandWords[]): string {
  const seconds = groups(commands);
  const names = commands.map((one) => one.name);
  const listed = firstWords(names).map((name) => `    ${quoted(`${plain(name)}:${plain(summaryOf(name, commands))}`)}`);
  return `#compdef mqb
# zsh completion of mqb; put it into a folder of $fpath as _mqb, or: source <(mqb completion zsh)
_mqb() {
  local context state state_descr line command
  typeset -A opt_args
  local -a commands
  commands=(
${listed.join("\n")}
  )
  _arguments -C \\
${argumentsOf(commands.find((one) => one.name === "")!)}
    '1: :->command' \\
    '*:: :->rest' && return
  case $state in
    command) _describe -t commands 'mqb command' commands ;;
    rest)
      command=$words[1]
      case $command in
${firstWords(names)
  .map((name) => restCase(name, commands, seconds))
  .join("\n")}
      esac ;;
  esac
}

if [[ $funcstack[1] == _mqb ]]; then _mqb "$@"; else compdef _mqb mqb; fi
`;
}

function restCase(
  name: string,
  commands: readonly CommandWords[],
  seconds: ReadonlyMap<string, readonly CommandWords[]>,
): string {
  const own = commands.find((one) => one.name === name);
  const group = seconds.get(name);
  const body = own ? `        _arguments \\\n${argumentsOf(own)}${positional(own)}` : "";
  if (!group) return `        ${name})\n${body} ;;`;
  const inner = group.map(
    (one) =>
      `          ${one.name.slice(name.length + 1)}) shift words; (( CURRENT-- )); _arguments \\\n${argumentsOf(one)}${positional(one)} ;;`,
  );
  const choices = group
    .map((one) => quoted(`${plain(one.name.slice(name.length + 1))}:${plain(one.summary)}`))
    .join(" ");
  return `        ${name})
          local -a seconds
          seconds=(${choices})
          if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then _describe -t commands 'command' seconds; return; fi
          case $words[2] in
${inner.join("\n")}
          *)
${body === "" ? "            return" : body} ;;
          esac ;;`;
}

function argumentsOf({ flags }: CommandWords): string {
  return flags
    .map((flag) => `    ${specOf(flag)} \\\n`)
    .join("")
    .trimEnd();
}

function positional({ choices, files }: CommandWords): string {
  const action = choices.length > 0 ? `(${choices.join(" ")})` : files ? "_files" : " ";
  return `\n    '*:argument:${action}'`;
}

function specOf(flag: FlagDeclaration): string {
  const help = `[${plain(flag.help)}]`;
  const action = flag.choices ? `(${flag.choices.join(" ")})` : flag.file ? "_files" : " ";
  const value = flag.value === undefined ? "" : `:${plain(flag.value)}:${action}`;
  const repeat = flag.repeat ? "*" : "";
  if (flag.short === undefined) return quoted(`${repeat}--${flag.name}${help}${value}`);
  const both = repeat === "" ? `'(-${flag.short} --${flag.name})'` : "'*'";
  return `${both}{-${flag.short},--${flag.name}}${quoted(`${help}${value}`)}`;
}

function summaryOf(name: string, commands: readonly CommandWords[]): string {
  const found = commands.find((one) => one.name === name) ?? commands.find((one) => one.name.startsWith(`${name} `));
  return found?.summary ?? "";
}

/** Text in a specification: brackets and colons mean something there. */
function plain(text: string): string {
  return text.replace(/[[\]:\\]/g, "\\$&");
}
