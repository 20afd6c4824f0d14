import type { Request } from "../listener/index.ts";
import {
  addHeader,
  decodeValue,
  isSensitive,
  METHOD,
  PATH,
  QUERY,
  SOURCE_PREFIX,
  TRAILER_PREFIX,
  VERSION,
} from "../wire/headers.ts";
import type { TlsFact } from "./tls-facts.ts";

/** Said by the listener, so that a header of the name is not taken. */
const OWN: ReadonlySet<string> = new Set([
  METHOD,
  PATH,
  QUERY,
  VERSION,
  "http_status_code",
  "http_stream_end",
  "http_stream_error",
  "http_stream_format",
  "http_stream_id",
  "http_stream_index",
  "tls_cipher_suite",
  "tls_protocol_version",
]);

/**
 * The metadata of a request: its headers in lower case and what it asked for. A header that came several times counts by its
 * last value; one whose value is no text is left out. Credentials stand where no sink writes them.
 */
export function requestMetadata(request: Request, tls: TlsFact | undefined): Map<string, string> {
  const metadata = new Map<string, string>();
  addRaw(metadata, request.rawHeaders, "");
  if (request.rawTrailers.length > 0) addRaw(metadata, request.rawTrailers, TRAILER_PREFIX);
  const { path, query } = targetOf(request.url ?? "/");
  metadata.set(METHOD, request.method ?? "GET");
  metadata.set(PATH, path);
  metadata.set(QUERY, query);
  metadata.set(VERSION, request.httpVersionMajor === 2 ? "HTTP/2.0" : `HTTP/${request.httpVersion}`);
  if (tls) {
    metadata.set("tls_cipher_suite", tls.cipher);
    metadata.set("tls_protocol_version", tls.protocol);
  }
  return metadata;
}

function addRaw(metadata: Map<string, string>, raw: readonly string[], prefix: string): void {
  for (let i = 0; i < raw.length; i += 2) {
    let name = raw[i]!.toLowerCase();
    if (name.startsWith(":")) {
      if (name !== ":authority") continue;
      name = "host";
    }
    if (name.startsWith(SOURCE_PREFIX) || name.startsWith(TRAILER_PREFIX) || OWN.has(name)) continue;
    const value = decodeValue(raw[i + 1]!);
    if (value === undefined) continue;
    addHeader(metadata, isSensitive(name) ? `${SOURCE_PREFIX}http_${name}` : prefix + name, value);
  }
}

/** Path and query of a request target, which may be a whole URL. */
export function targetOf(target: string): { readonly path: string; readonly query: string } {
  const rest = target.startsWith("/") ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const mark = rest.indexOf("?");
  if (mark < 0) return { path: rest === "" ? "/" : rest, query: "" };
  return { path: mark === 0 ? "/" : rest.slice(0, mark), query: rest.slice(mark + 1) };
}
