import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { asBuffer, kindOf, type Message } from "@mqb/core/plugin";
import type { Request, Response } from "../listener/index.ts";
import { answer, isGone } from "../listener/index.ts";
import type { Codings } from "../wire/codings.ts";
import { type HeadOptions, replyHead } from "./reply-head.ts";
import type { SourceSettings } from "./settings.ts";
import { wantedCoding } from "./wanted-coding.ts";

const PROCESSED = "Message processed";
export const FAILED = "Message processing failed";
const ACCEPTED = "Message accepted for processing";
const ANY_BYTES = "application/octet-stream";
/** Bodies up to this size are written together with their head: two pieces cost a fifth of a request more. */
const ONE_PIECE_BYTES = 4096;

/** Writes the answers of one source. */
export class Answers {
  private readonly settings: SourceSettings;
  private readonly codings: Codings;
  /** Answers have no headers but their own. */
  private readonly isPlain: boolean;
  readonly asIs: HeadOptions;
  private readonly decoded: HeadOptions;
  /** Told of metadata that cannot be a header. */
  readonly dropped: (name: string) => void;

  constructor(settings: SourceSettings, codings: Codings, dropped: (name: string) => void) {
    this.settings = settings;
    this.codings = codings;
    this.dropped = dropped;
    this.isPlain = settings.customHeaders.length === 0 && settings.requestIdHeader === undefined;
    const { omitsRequestHeaders } = settings;
    this.asIs = { omitsRequestHeaders, wasDecoded: false, dropped };
    this.decoded = { omitsRequestHeaders, wasDecoded: true, dropped };
  }

  processed(request: Request, response: Response, message: Message): void {
    this.accept(request, response, message, PROCESSED);
  }

  accepted(request: Request, response: Response, message: Message): void {
    this.accept(request, response, message, ACCEPTED);
  }

  /** The route failed: 502 for what may pass, where the source hands statuses on, else 500. */
  failed(request: Request, response: Response, message: Message, error: unknown): void {
    const passes = this.passes(error);
    answer(response, passes ? 502 : 500, FAILED, this.ownHeaders(request, message));
  }

  /** The failure may pass, and the client is told. */
  passes(error: unknown): boolean {
    if (error === undefined || !this.settings.passThroughStatus) return false;
    return ["retryable", "connection"].includes(kindOf(error, "retryable"));
  }

  refused(request: Request, response: Response, status: number, text: string, more: OutgoingHttpHeaders = {}): void {
    answer(response, status, text, { ...this.ownHeaders(request, undefined), ...more });
  }

  /** Gives what to wait for where the answer is compressed first. */
  reply(
    request: Request,
    response: Response,
    asked: Message,
    reply: Message,
    wasDecoded: boolean,
  ): Promise<void> | undefined {
    const { payload } = reply;
    const { compressFrom, omitsRequestHeaders } = this.settings;
    // The message itself as its answer: none of its metadata is news, and none of it need be made.
    if (reply === asked && omitsRequestHeaders && this.isPlain && compressFrom === undefined) {
      echo(request, response, payload);
      return undefined;
    }
    const head = replyHead(request, asked, reply, wasDecoded ? this.decoded : this.asIs);
    if (!this.isPlain) Object.assign(head.headers, this.ownHeaders(request, asked));
    if (compressFrom !== undefined && !head.streams && !head.bodyless && payload.length >= compressFrom) {
      const coding = "content-encoding" in head.headers ? undefined : wantedCoding(request.headers["accept-encoding"]);
      head.headers["vary"] ??= "accept-encoding";
      if (coding) {
        return this.codings.encode(payload, coding).then(
          (body) => write(response, { ...head, headers: { ...head.headers, "content-encoding": coding } }, body),
          () => write(response, head, payload),
        );
      }
    }
    write(response, head, payload);
    return undefined;
  }

  /** The configured headers, and the id that the client knows the request by. */
  ownHeaders(request: Request, message: Message | undefined): Record<string, string> {
    const headers: Record<string, string> = Object.create(null);
    for (const [name, value] of this.settings.customHeaders) headers[name] = value;
    const { requestIdHeader } = this.settings;
    if (requestIdHeader === undefined) return headers;
    const given = request.headers[requestIdHeader];
    const id = typeof given === "string" ? given : message?.id;
    if (id !== undefined) headers[requestIdHeader] = id;
    return headers;
  }

  private accept(request: Request, response: Response, message: Message, text: string): void {
    if (response.writableEnded || isGone(response)) return;
    const length = { "content-length": text.length };
    response.writeHead(202, this.isPlain ? length : { ...length, ...this.ownHeaders(request, message) });
    // As a text of another encoding it would be joined with the head, and change the bytes of that.
    (response as ServerResponse).end(text, "latin1");
  }
}

interface Head {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly streams: boolean;
  readonly bodyless: boolean;
  readonly trailers: Readonly<Record<string, string>> | undefined;
}

function write(response: Response, head: Head, body: Uint8Array): void {
  if (response.headersSent || response.writableEnded || isGone(response)) return;
  if (!head.streams && !head.bodyless) head.headers["content-length"] = body.length;
  if (head.trailers) head.headers["trailer"] = Object.keys(head.trailers).join(", ");
  response.writeHead(head.status, head.headers);
  if (head.trailers) response.addTrailers(head.trailers);
  if (head.bodyless) response.end();
  else end(response, body);
}

function echo(request: Request, response: Response, body: Uint8Array): void {
  if (response.writableEnded || isGone(response)) return;
  const type = request.headers["content-type"] ?? ANY_BYTES;
  response.writeHead(200, { "content-type": type, "content-length": body.length });
  if (request.method === "HEAD") response.end();
  else end(response, body);
}

function end(response: Response, body: Uint8Array): void {
  if (body.length > ONE_PIECE_BYTES || "stream" in response) response.end(body);
  // Each byte is one character, so that Node joins it with the head.
  else (response as ServerResponse).end(asBuffer(body).toString("latin1"), "latin1");
}
