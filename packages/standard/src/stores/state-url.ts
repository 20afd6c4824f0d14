import { errors } from "../errors.ts";

/** A store's URL without its scheme: what stands before the `?`, and the parameters. */
export interface StateUrl {
  readonly body: string;
  readonly params: ReadonlyMap<string, string>;
}

/** Takes a store's URL apart. Refuses parameters that are not in `known`. */
export function parseStateUrl(url: string, known: readonly string[]): StateUrl {
  const [head, query = ""] = splitOnce(url.replace(/^[a-z][a-z0-9+.-]*:/i, ""), "?");
  const params = new Map(new URLSearchParams(query));
  for (const name of params.keys()) {
    if (known.includes(name)) continue;
    const takes = known.length > 0 ? `it takes: ${known.join(", ")}` : "it takes none";
    throw errors.STORE_URL({ url, reason: `unknown parameter "${name}"; ${takes}` });
  }
  return { body: head, params };
}

function splitOnce(text: string, at: string): [string, string?] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}
