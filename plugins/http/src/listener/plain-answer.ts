import type { OutgoingHttpHeaders } from "node:http";
import { constants } from "node:http2";
import { isGone } from "./gone.ts";
import type { Request, Response } from "./protocol.ts";

const TEXT = "text/plain; charset=utf-8";
/** How long the rest of a body that nobody wants may take. */
const LINGER_MS = 2000;

/** Answers with a text. Nothing happens when the client is gone or has an answer already. */
export function answer(response: Response, status: number, text: string, headers: OutgoingHttpHeaders = {}): void {
  if (response.headersSent || response.writableEnded || isGone(response)) return;
  const body = Buffer.from(text);
  response.writeHead(status, { "content-type": TEXT, "content-length": body.length, ...headers });
  response.end(body);
}

/**
 * Answers a request whose body is not read. What still comes of it is thrown away for a moment, so that the client sees
 * the answer instead of a reset; then the connection ends.
 */
export function answerUnread(
  request: Request,
  response: Response,
  status: number,
  text: string,
  headers?: OutgoingHttpHeaders,
): void {
  answer(response, status, text, headers);
  if (request.complete) return;
  request.resume();
  const linger = setTimeout(() => {
    // One stream of many that the connection has.
    if ("stream" in request) request.stream.close(constants.NGHTTP2_NO_ERROR);
    else request.destroy();
  }, LINGER_MS);
  linger.unref();
  request.once("close", () => clearTimeout(linger));
}
