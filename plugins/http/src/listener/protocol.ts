import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

/** Of HTTP/1 and, through Node's compatibility layer, HTTP/2. */
export type Request = IncomingMessage | Http2ServerRequest;
export type Response = ServerResponse | Http2ServerResponse;

export type ServerProtocol = "auto" | "http1_only" | "http2_only";

/** Where a route is mounted. */
export interface Place {
  /** Requests are told to come again. */
  leave(): void;
  /** Nothing is there any more. */
  giveUp(): void;
}

/** What one route takes of a listener. */
export interface Mount {
  /** For messages. */
  readonly route: string;
  /** Undefined = any. */
  readonly path: string | undefined;
  /** In capitals; undefined = any. */
  readonly method: string | undefined;
  /** Called for each request; `expects` = the client waits for `100 Continue` before it sends the body. */
  request(request: Request, response: Response, expects: boolean): void;
}
