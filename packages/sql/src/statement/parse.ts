import { parseTemplate, type TokenSource } from "@mqb/standard";
import type { StatementPieces } from "../contract.ts";
import { errors } from "../errors.ts";
import { stretches } from "./lexer.ts";

/** Where the value of a token comes from. */
export type ValueSource = Extract<TokenSource, { readonly from: "payload" | "metadata" }>;

/** A statement with tokens, which are values and never a part of its text. */
export interface Statement {
  readonly pieces: StatementPieces;
  /** One for each token, in the order of the text. */
  readonly sources: readonly ValueSource[];
  /** As written, for messages. */
  readonly tokens: readonly string[];
  /** The pieces as one text, with a word in the place of each token; texts and comments blanked. For looking at its shape. */
  readonly outline: string;
}

const TOKEN = "\u0001";

/** Takes a statement with `${…}` tokens apart. Throws a `config` error that names the token. */
export function parseStatement(sql: string, field: string): Statement {
  const pieces: (string | number)[] = [];
  const sources: ValueSource[] = [];
  const tokens: string[] = [];
  let text = "";
  let outline = "";
  const code = (part: string): void => {
    for (let at = 0; at < part.length; ) {
      const next = part.indexOf("${", at);
      if (next < 0) {
        text += part.slice(at);
        outline += part.slice(at);
        return;
      }
      if (part[next - 1] === "$") {
        text += `${part.slice(at, next - 1)}\${`;
        outline += `${part.slice(at, next - 1)}  `;
        at = next + 2;
        continue;
      }
      text += part.slice(at, next);
      outline += part.slice(at, next) + TOKEN;
      const close = part.indexOf("}", next);
      const written = close < 0 ? part.slice(next) : part.slice(next, close + 1);
      if (text !== "") pieces.push(text);
      text = "";
      pieces.push(sources.length);
      sources.push(sourceOf(written, close < 0, field));
      tokens.push(written);
      at = next + written.length;
    }
  };
  for (const { kind, start, end } of stretches(sql)) {
    const part = sql.slice(start, end);
    if (kind === "code") {
      code(part);
      continue;
    }
    const inside = kind === "quoted" ? /(?<!\$)\$\{\s*(?:payload|metadata|message|gen)\s*:[^}]*\}?/.exec(part) : null;
    if (inside) {
      const reason = "it stands inside quotes, where no value can be bound; take the quotes away";
      throw errors.TOKEN({ field, token: inside[0], reason });
    }
    text += kind === "comment" ? " " : part.replaceAll("$${", "${");
    outline += kind === "comment" ? " " : "''";
  }
  if (text !== "") pieces.push(text);
  return { pieces, sources, tokens, outline };
}

function sourceOf(token: string, isOpen: boolean, field: string): ValueSource {
  const refuse = (reason: string): Error => errors.TOKEN({ field, token, reason });
  if (isOpen) throw refuse("the closing } is missing");
  const [segment] = parseTemplate(token, {});
  if (segment === undefined || typeof segment === "string") throw refuse("it is no token");
  const { source, filter } = segment;
  if (source.from !== "payload" && source.from !== "metadata") throw refuse("there are only payload: and metadata:");
  if (filter !== undefined) throw refuse("values are bound as they are, without a filter");
  if (source.from === "payload" && source.path.length === 0) throw refuse("it names no field");
  if (source.from === "metadata" && source.key === "") throw refuse("it names no key");
  return source;
}
