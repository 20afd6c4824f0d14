import { type CommandWords, firstWords, groups } from "./words.ts";

/** A completion function for bash: `source <(mqb completion bash)`. Needs neither bash-completion nor mqb while it runs. */
export function bashCompletion(commands: readonly CommandWords[]): string {
  const seconds = groups(commands);
  return `# bash completion of mqb; put it where bash-completion looks, or: source <(mqb completion bash)
_mqb() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="" command="" word i
  COMPREPLY=()
  # Bash breaks --flag=value into three words.
  if [[ $cur == "=" ]]; then cur=""; prev="\${COMP_WORDS[COMP_CWORD-1]}"
  elif (( COMP_CWORD > 1 )) && [[ \${COMP_WORDS[COMP_CWORD-1]} == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"
  elif (( COMP_CWORD > 0 )); then prev="\${COMP_WORDS[COMP_CWORD-1]}"; fi
  local skip=""
  for (( i = 1; i < COMP_CWORD; i++ )); do
    word="\${COMP_WORDS[i]}"
    if [[ -n $skip ]]; then skip=""; continue; fi
    case "$word" in
      ${alternatives(valueFlags(commands))}) [[ \${COMP_WORDS[i+1]} != "=" ]] && skip=1 ;;
      =) skip=1 ;;
      -*) ;;
      *)
        if [[ -z $command ]]; then command="$word"
        else
          case "$command $word" in
            ${alternatives([...seconds.values()].flat().map((one) => JSON.stringify(one.name)))}) command="$command $word" ;;
          esac
        fi ;;
    esac
  done
  case "$command:$prev" in
${flagCases(commands)}
  esac
  if [[ $cur == -* ]]; then
    case "$command" in
${commands.map((one) => `      ${JSON.stringify(one.name)}) _mqb_words "${flagWords(one)}" ;;`).join("\n")}
    esac
    return
  fi
  case "$command" in
${argumentCases(commands, seconds)}
  esac
}

_mqb_words() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$1" -- "$cur")
}

_mqb_files() {
  local line
  compopt -o filenames 2>/dev/null
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
}

complete -F _mqb mqb
`;
}

function flagWords({ flags }: CommandWords): string {
  return flags.flatMap((flag) => [`--${flag.name}`, ...(flag.short ? [`-${flag.short}`] : [])]).join(" ");
}

/** Flags after which a value comes, of all commands: what follows them is no command. */
function valueFlags(commands: readonly CommandWords[]): string[] {
  const flags = commands.flatMap((one) => one.flags).filter((flag) => flag.value !== undefined);
  return [...new Set(flags.flatMap((flag) => [`--${flag.name}`, ...(flag.short ? [`-${flag.short}`] : [])]))];
}

function flagCases(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(({ name, flags }) =>
    flags
      .filter((flag) => flag.value !== undefined)
      .map((flag) => {
        const spellings = [`--${flag.name}`, ...(flag.short ? [`-${flag.short}`] : [])];
        const patterns = spellings.map((one) => JSON.stringify(`${name}:${one}`)).join("|");
        const action = flag.choices ? `_mqb_words "${flag.choices.join(" ")}"; ` : flag.file ? "_mqb_files; " : "";
        return `    ${patterns}) ${action}return ;;`;
      }),
  );
  return lines.join("\n");
}

function argumentCases(
  commands: readonly CommandWords[],
  seconds: ReadonlyMap<string, readonly CommandWords[]>,
): string {
  const names = commands.map((one) => one.name);
  const lines = [`    "") _mqb_words "${firstWords(names).join(" ")}" ;;`];
  const first = new Set([...names.filter((name) => name !== ""), ...seconds.keys()]);
  for (const name of first) {
    const command = commands.find((one) => one.name === name);
    const words = [
      ...(command?.choices ?? []),
      ...(seconds.get(name) ?? []).map((one) => one.name.slice(name.length + 1)),
    ];
    const actions = [
      ...(words.length > 0 ? [`_mqb_words "${words.join(" ")}"`] : []),
      ...(command?.files ? ["_mqb_files"] : []),
    ];
    if (actions.length > 0) lines.push(`    ${JSON.stringify(name)}) ${actions.join("; ")} ;;`);
  }
  return lines.join("\n");
}

/** A case without an alternative is no syntax; this one never matches. */
function alternatives(patterns: readonly string[]): string {
  return patterns.length > 0 ? patterns.join("|") : "'\u0001'";
}
