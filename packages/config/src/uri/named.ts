import { collectNames, collectStorePath, type Names, noNames } from "../named.ts";
import { parseLiteral } from "./literal.ts";
import { type ParsedUri, parseUri } from "./parse.ts";

const MAX_DEPTH = 32;
/** What may be an endpoint: a URI, standard input or output, a path. */
const ENDPOINT = /^(?:[a-z][a-z0-9+._-]*:|-$|-[?|]|[^?\s]*[./])/i;

/** What a parsed URI names, its nested URIs included, so that a host imports only the plugins that bring it. */
export function namesInUri(uri: ParsedUri, side: "input" | "output"): Names {
  const names = noNames();
  const visit = (one: ParsedUri, depth: number): void => {
    names.schemes.add(one.scheme);
    names.endpoints.add(one.scheme).add(one.scheme.replaceAll("-", "_"));
    const params = [...one.params];
    for (const middleware of one.middlewares) {
      names.middlewares.add(middleware.name);
      params.push(...middleware.params);
      if (middleware.name === "filter") names.expressions = true;
    }
    for (const [name, value] of params) {
      if (name === "when" || name === "expression") names.expressions = true;
      // The plugin of the middleware encrypts files, too.
      if (name.split(".", 1)[0] === "encryption") names.middlewares.add("encryption");
      collectStorePath(name.slice(name.lastIndexOf(".") + 1), value, names);
      collectNames(parseLiteral(value) ?? {}, names);
      if (depth > MAX_DEPTH || !ENDPOINT.test(value)) continue;
      const inner = parsed(value, side);
      if (!inner) continue;
      names.stores.add(inner.scheme);
      visit(inner, depth + 1);
    }
  };
  visit(uri, 0);
  return names;
}

/** A text that looks like a URI and is none is nobody's name. */
function parsed(text: string, side: "input" | "output"): ParsedUri | undefined {
  try {
    return parseUri(text, side);
  } catch {
    return undefined;
  }
}
