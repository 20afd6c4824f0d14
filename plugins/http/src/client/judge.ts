import type { IncomingHttpHeaders } from "node:http";
import type { MqbError } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { maskLogin } from "../wire/shown.ts";
import { retryAfterMs } from "./retry-after.ts";

/** Bytes of a body that an error shows. */
const SHOWN_BYTES = 2048;
/** The server may take the same request later. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);
/** The server never will. */
const NEVER: ReadonlySet<number> = new Set([501, 505]);

export interface Answered {
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** What an answer says of its message; undefined = it was accepted. `now` = Unix milliseconds. */
export function judgeStatus(answered: Answered, now: number): MqbError | undefined {
  const { status, headers } = answered;
  if (status >= 200 && status < 300) return undefined;
  const said = { ...answered, body: shown(answered) };
  // Not this message's fault, and no hasty retry helps: it goes to a dlq, or back to the source.
  if (status === 401 || status === 403) return errors.CREDENTIALS(said, { exhausted: true });
  if (!LATER.has(status) && (status < 500 || NEVER.has(status))) return errors.REFUSED(said);
  const wait = retryAfterMs(headers["retry-after"], now);
  return errors.BUSY(said, wait === undefined ? {} : { retryAfterMs: wait });
}

function shown({ status, headers, body }: Answered): string {
  const location = headers["location"];
  if (status >= 300 && status < 400 && typeof location === "string") {
    return `it redirects to ${maskLogin(location).slice(0, 200)}, which is not followed`;
  }
  const part = body.subarray(0, SHOWN_BYTES);
  return Buffer.from(part.buffer, part.byteOffset, part.length).toString("utf8").trim();
}
