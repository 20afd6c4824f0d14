import type { EndpointUri } from "@mqb/core/plugin";
import type { Environment } from "../environment.ts";
import { configErrors } from "../errors.ts";
import { isAmbiguous } from "../redact/user-passwords.ts";
import { expandVariables } from "./expand.ts";
import { shownUri, withoutSecretsOf } from "./secrets.ts";

/** One `|name?…` of a URI. */
export interface UriMiddleware {
  /** With `_` for `-`. */
  readonly name: string;
  /** Everything after the `?`, decoded; absent without a `?`. */
  readonly query?: string;
  readonly params: EndpointUri["params"];
}

/** An endpoint URI taken apart; no plugin has looked at it yet. */
export interface ParsedUri extends EndpointUri {
  /** In written order. */
  readonly middlewares: readonly UriMiddleware[];
  /** As the user wrote it, without its secrets. For messages. */
  readonly shown: string;
  /** With variables put in. Never for messages. */
  readonly text: string;
}

const SCHEME = /^([a-z][a-z0-9+._-]*):/i;
const PIPE = /^-(?=$|\?)/;
/** Looks like a path: a dot or a slash before the parameters. A bare word is more likely a forgotten scheme. */
const PATH = /^[^?]*[./]/;

/**
 * Takes `scheme:body?k=v|middleware?k=v` apart. `-` is standard input as a source and standard output as a target; what
 * looks like a path and has no scheme is a file. With an environment, `$VAR` and `${VAR}` are put in first; a nested URI is parsed without one, since its owner has done that.
 * Throws a `config` error.
 */
export function parseUri(written: string, side: "input" | "output", environment?: Environment): ParsedUri {
  const shown = shownUri(written);
  const text = environment ? expandVariables(written, shown, environment) : written;
  if (isAmbiguous(text)) throw configErrors.URI_PASSWORD({ uri: shown });
  return withoutSecretsOf(text, () => takeApart(text, shown, side));
}

function takeApart(text: string, shown: string, side: "input" | "output"): ParsedUri {
  const [first = "", ...chain] = text.split("|");
  const endpoint = withScheme(first, side);
  if (endpoint.trim() === "") throw configErrors.URI_EMPTY({});
  const scheme = SCHEME.exec(endpoint)?.[1];
  if (scheme === undefined) throw configErrors.URI_NO_SCHEME({ uri: shown });
  if (/^[a-z]$/i.test(scheme))
    throw configErrors.URI_NO_SCHEME({ uri: shown, near: `///${shown.replaceAll("\\", "/")}` });
  const { body, query } = splitQuery(endpoint.slice(scheme.length + 1));
  return {
    scheme: scheme.toLowerCase(),
    body,
    params: parseQuery(query),
    middlewares: chain.map((one) => parseMiddleware(one, shown)),
    shown,
    text,
  };
}

function withScheme(endpoint: string, side: "input" | "output"): string {
  if (PIPE.test(endpoint)) return endpoint.replace("-", side === "input" ? "file:///dev/stdin" : "file:///dev/stdout");
  return !SCHEME.test(endpoint) && PATH.test(endpoint) ? `file:${endpoint}` : endpoint;
}

function parseMiddleware(text: string, shown: string): UriMiddleware {
  const { body, query } = splitQuery(text);
  const name = body.trim().replaceAll("-", "_");
  if (name === "") throw configErrors.URI_MIDDLEWARE_EMPTY({ uri: shown });
  return { name, params: parseQuery(query), ...(query === undefined ? {} : { query: decode(query) }) };
}

function splitQuery(text: string): { body: string; query?: string } {
  const at = text.indexOf("?");
  return at < 0 ? { body: text } : { body: text.slice(0, at), query: text.slice(at + 1) };
}

function parseQuery(query: string | undefined): [string, string][] {
  if (query === undefined) return [];
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const at = pair.indexOf("=");
      return at < 0 ? [decode(pair), ""] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
    });
}

/** Percent-decodes. A `%` that starts no code stays, and so does `+`: expressions and times hold both. */
function decode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return codes;
    }
  });
}
