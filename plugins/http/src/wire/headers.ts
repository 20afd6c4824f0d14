import { isUtf8 } from "node:buffer";

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Whatever could end a header, or a text that reads it: no control character but the tab. */
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const BEYOND_ASCII = /[^\u0000-\u007f]/;

/** Reserved keys; no sink writes them, no source takes them from outside. */
export const SOURCE_PREFIX = "mqb.src.";
/** Metadata under it becomes a trailer of an answer. */
export const TRAILER_PREFIX = "http_trailer.";

export const METHOD = "http_method";
export const PATH = "http_path";
export const QUERY = "http_query";
export const VERSION = "http_version";
export const STATUS = "http_status_code";

/** What belongs to one connection, or says where a message ends: never taken from metadata. */
export const FRAMING: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers that let whoever has them in: kept where no sink writes them. */
const SENSITIVE: ReadonlySet<string> = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "cookie2",
  "x-api-key",
  "api-key",
  "apikey",
  "x-auth-token",
  "x-access-token",
  "x-csrf-token",
  "x-xsrf-token",
  "x-amz-security-token",
  "x-goog-api-key",
  "x-vault-token",
]);

export function isSensitive(name: string): boolean {
  return SENSITIVE.has(name);
}

export function isHeaderName(name: string): boolean {
  return TOKEN.test(name);
}

/** The value as it goes on the wire, in UTF-8; undefined when it cannot be one. */
export function encodeValue(value: string): string | undefined {
  if (CONTROL.test(value)) return undefined;
  if (!BEYOND_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, "utf8");
  // Half a surrogate pair is no text.
  return bytes.toString("utf8") === value ? bytes.toString("latin1") : undefined;
}

/** The text of a value that came over the wire; undefined when its bytes are no UTF-8. */
export function decodeValue(value: string): string | undefined {
  if (!BEYOND_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/** One entry of the metadata for a header that came several times: the last one, but every cookie. */
export function addHeader(metadata: Map<string, string>, name: string, value: string): void {
  const separator = name === "set-cookie" ? "\n" : name === "cookie" ? "; " : undefined;
  const before = separator === undefined ? undefined : metadata.get(name);
  metadata.set(name, before === undefined ? value : before + separator + value);
}
