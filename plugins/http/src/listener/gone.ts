import type { EventEmitter } from "node:events";
import { constants } from "node:http2";
import type { Request, Response } from "./protocol.ts";

/** Nobody is there to read the answer. Not every response says so itself: those of HTTP/2 never, one that waits for
 * earlier ones on its connection not either. */
export function isGone(response: Response): boolean {
  if ("stream" in response) return response.stream?.destroyed ?? true;
  return response.destroyed || (response.req.socket?.destroyed ?? true);
}

/** What is written from now on is kept in memory. */
export function needsDrain(response: Response): boolean {
  return "stream" in response ? (response.stream?.writableNeedDrain ?? false) : response.writableNeedDrain;
}

/** What emits `close` at the end of a response: Node closes none of HTTP/2 to a HEAD that was reset. */
export function closingOf(response: Response): EventEmitter {
  return "stream" in response ? response.stream : response;
}

/** Breaks off when nothing of what is written goes out for so long. */
export function cutWhenIdle(request: Request, response: Response, ms: number): void {
  if (!("stream" in response)) request.socket.setTimeout(ms);
  else {
    const { stream } = response;
    stream?.setTimeout(ms, () => stream.close(constants.NGHTTP2_CANCEL));
  }
}
