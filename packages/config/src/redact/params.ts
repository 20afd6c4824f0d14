/** A parameter as it stands in a text: `?name=value`. */
export interface WrittenParam {
  readonly name: string;
  readonly value: string;
  /** Where the value ends. */
  readonly to: number;
}

const START = /[?&|]([^=&?|\s]+)=/g;
/** A value ends before one of these, unless it is a JSON literal. */
const END = /[&|\s"]/;
/** Behind a literal these belong to the text around it. */
const PUNCTUATION = /^[)\]}>,.;:!?'`…\\]*$/;
/** What a line of a JSON literal may begin with, when the literal goes on in it. */
const GOES_ON = /^\s*(?:\\*"|[[\]{},\d-]|true\b|false\b|null\b)/;
/** So far it is looked for in the line. */
const MOST_INDENT = 200;

/** The parameters in a text, in their order. A JSON literal may hold spaces, and quotes, which end any other value. */
export function* paramsIn(text: string): Generator<WrittenParam> {
  let behind = 0;
  for (const { 0: start, 1: name = "", index } of text.matchAll(START)) {
    if (index < behind) continue;
    const from = index + start.length;
    behind = valueEnd(text, from);
    yield { name, value: text.slice(from, behind), to: behind };
  }
}

/** The text with each parameter's value replaced, where `change` gives another one. */
export function replaceParams(text: string, change: (param: WrittenParam) => string | undefined): string {
  const parts: string[] = [];
  let at = 0;
  for (const param of paramsIn(text)) {
    const shown = change(param);
    if (shown === undefined) continue;
    parts.push(text.slice(at, param.to - param.value.length), shown);
    at = param.to;
  }
  return at === 0 ? text : parts.join("") + text.slice(at);
}

function valueEnd(text: string, from: number): number {
  if (text[from] !== "{" && text[from] !== "[") return plainEnd(text, from);
  const { end, whole } = literalEnd(text, from);
  if (!whole) return end;
  const behind = plainEnd(text, end);
  return PUNCTUATION.test(text.slice(end, behind)) ? end : behind;
}

function plainEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !END.test(text[at]!)) at++;
  return at;
}

/**
 * Where a JSON literal ends: behind the bracket that closes it. One that is broken off ends where a mark, a quote of the
 * text around it or a line that cannot belong to it stands, else with the text: rather too much is taken for it than too
 * little. The literal may itself stand inside quotes, with its own quotes escaped.
 */
function literalEnd(text: string, from: number): { readonly end: number; readonly whole: boolean } {
  let depth = 0;
  /** How many backslashes stand before each of its quotes. */
  let level: number | undefined;
  let inText = false;
  let backslashes = 0;
  let before = "";
  const broken = (end: number) => ({ end, whole: false });
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (char === "&" || char === "|") return broken(at);
    if (char === '"') {
      const isOurs = inText ? backslashes >= level! : "{[,:".includes(before) && backslashes === (level ?? backslashes);
      if (!isOurs) return broken(at - backslashes);
      level ??= backslashes;
      if (!inText || closes(backslashes, level)) inText = !inText;
    } else if (!inText) {
      if (char === "{" || char === "[") depth += 1;
      else if ((char === "}" || char === "]") && --depth === 0) return { end: at + 1, whole: true };
      else if (char === "\n" && !GOES_ON.test(text.slice(at + 1, at + MOST_INDENT))) return broken(at);
    }
    backslashes = char === "\\" ? backslashes + 1 : 0;
    if (char !== "\\" && !/\s/.test(char)) before = char;
  }
  return broken(text.length);
}

/** Each time a text is quoted, a backslash becomes two and a quote gets one more: `"`, `\"`, `\\\"`. */
function closes(backslashes: number, level: number): boolean {
  const own = (backslashes - level) / (level + 1);
  return Number.isInteger(own) && own % 2 === 0;
}
