import { isUtf8 } from "node:buffer";
import { asBuffer, type Message, type Outcome } from "@mqb/core/plugin";
import { MAX_JSON_DEPTH, scanJsonValue, skipJsonBlank } from "@mqb/kernel";
import { withoutBlanks } from "./compact-json.ts";
import { errors } from "./errors.ts";

/** What a lookup has found, as JSON without blanks; `null` when that is nothing. */
export interface Answer {
  readonly found: boolean;
  readonly json: Uint8Array;
}

/** An answer, or why there is none. */
export type Answered = Answer | Failure;

export interface Failure {
  readonly error: unknown;
}

export function isFailure(answer: Answered): answer is Failure {
  return "error" in answer;
}

export const NULL: Uint8Array = Buffer.from("null");
export const NOTHING: Answer = { found: false, json: NULL };

/** Set by endpoints that hand the status of a response over. */
export const HTTP_STATUS = "http_status_code";
/** Not the message's fault: whoever asks may be let in, or be answered, later. */
const FOR_NOW: readonly number[] = [401, 403, 408, 429];

/** What the outcome of a request says. `path`: who was asked, for errors. */
export function readOutcome(outcome: Outcome, path: string): Answered {
  switch (outcome.type) {
    case "replied":
      return readReply(outcome.message, path);
    case "filtered":
      // A filter of the endpoint says that there is nothing to ask for.
      return NOTHING;
    case "failed":
      return { error: outcome.error };
    default:
      return { error: errors.NO_ANSWER({ path }) };
  }
}

function readReply({ payload, metadata }: Message, path: string): Answered {
  const written = metadata.get(HTTP_STATUS);
  const status = written !== undefined && /^\d{3}$/.test(written) ? Number(written) : undefined;
  if (status === 404) return NOTHING;
  if (status !== undefined && (status < 200 || status > 299)) {
    const row = status >= 500 || FOR_NOW.includes(status) ? errors.BUSY : errors.REFUSED;
    return { error: row({ path, status }) };
  }
  return readPayload(payload);
}

/** JSON stays JSON, everything else becomes a JSON string; nothing, and null, is nothing. */
export function readPayload(payload: Uint8Array): Answer {
  if (payload.length === 0) return NOTHING;
  if (!isJson(payload)) return { found: true, json: Buffer.from(JSON.stringify(asBuffer(payload).toString("utf8"))) };
  const json = withoutBlanks(payload);
  return json.length === NULL.length && NULL.every((byte, i) => json[i] === byte) ? NOTHING : { found: true, json };
}

function isJson(bytes: Uint8Array): boolean {
  const at = skipJsonBlank(bytes, 0, bytes.length);
  const behind = scanJsonValue(bytes, at, bytes.length, new Uint8Array(MAX_JSON_DEPTH));
  return behind >= 0 && skipJsonBlank(bytes, behind, bytes.length) === bytes.length && isUtf8(bytes);
}
