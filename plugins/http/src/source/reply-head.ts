import type { OutgoingHttpHeaders } from "node:http";
import type { Message } from "@mqb/core/plugin";
import type { Request } from "../listener/index.ts";
import { encodeValue, FRAMING, isHeaderName, SOURCE_PREFIX, STATUS, TRAILER_PREFIX } from "../wire/headers.ts";

export interface ReplyHead {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** Written in chunks, without a length. */
  readonly streams: boolean;
  /** The status, or the method, lets no body follow. */
  readonly bodyless: boolean;
  readonly trailers: Readonly<Record<string, string>> | undefined;
}

export interface HeadOptions {
  readonly omitsRequestHeaders: boolean;
  /** The request's body was decoded, so that its coding is none of a body that is sent back. */
  readonly wasDecoded: boolean;
  /** Told of metadata that cannot be a header. */
  readonly dropped: (name: string) => void;
}

const ANY_BYTES = "application/octet-stream";
const CONTENT_TYPE = "content-type";

/** The head of an answer, made of the metadata of the reply. */
export function replyHead(request: Request, asked: Message, reply: Message, options: HeadOptions): ReplyHead {
  const headers: OutgoingHttpHeaders = Object.create(null);
  // The message itself as its answer: none of its metadata is news, and none of it need be made.
  if (options.omitsRequestHeaders && reply === asked) {
    headers[CONTENT_TYPE] = request.headers[CONTENT_TYPE] ?? ANY_BYTES;
    return { status: 200, headers, streams: false, bodyless: request.method === "HEAD", trailers: undefined };
  }
  const { metadata } = reply;
  const own = asked.metadata;
  let trailers: Record<string, string> | undefined;
  let chunked = false;
  for (const [key, text] of metadata) {
    const name = key.toLowerCase();
    if (name === "transfer-encoding") chunked ||= /chunked/i.test(text) && own.get(key) !== text;
    if (name.startsWith(SOURCE_PREFIX) || FRAMING.has(name) || name === STATUS) continue;
    if (name !== CONTENT_TYPE && own.get(key) === text) {
      if (options.omitsRequestHeaders || (options.wasDecoded && name === "content-encoding")) continue;
    }
    const value = name === "set-cookie" ? cookies(text) : encodeValue(text);
    const isTrailer = name.startsWith(TRAILER_PREFIX);
    const bare = isTrailer ? name.slice(TRAILER_PREFIX.length) : name;
    if (value === undefined || !isHeaderName(bare) || (isTrailer && FRAMING.has(bare))) {
      options.dropped(key);
      continue;
    }
    if (!isTrailer) headers[bare] = value;
    else if (typeof value === "string") (trailers ??= Object.create(null) as Record<string, string>)[bare] = value;
  }
  const status = statusOf(metadata.get(STATUS));
  // A reply that says its status has a whole head of its own.
  if (!(CONTENT_TYPE in headers) && !metadata.has(STATUS)) headers[CONTENT_TYPE] = ANY_BYTES;
  const bodyless = status === 204 || status === 304 || request.method === "HEAD";
  // They stand behind the chunks of a body, and there are none.
  if (bodyless || (request.httpVersionMajor === 1 && request.httpVersionMinor < 1)) trailers = undefined;
  const streams = chunked || trailers !== undefined || /^text\/event-stream\b/i.test(String(headers[CONTENT_TYPE]));
  return { status, headers, streams, bodyless, trailers };
}

function statusOf(text: string | undefined): number {
  return text !== undefined && /^[2-5]\d\d$/.test(text) ? Number(text) : 200;
}

/** One cookie in each line. */
function cookies(text: string): string[] | undefined {
  const values = text.split("\n").map(encodeValue);
  return values.every((value) => value !== undefined) ? values : undefined;
}
