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

/** What the outcomes of requests say. One for each place that asks. */
export class Outcomes {
  private readonly path: string;
  private readonly onTrial: boolean;
  private readonly stack = new Uint8Array(MAX_JSON_DEPTH);

  /** `path`: who is asked, for errors. `onTrial`: endpoints only take note of what they are sent. */
  constructor(path: string, onTrial: boolean) {
    this.path = path;
    this.onTrial = onTrial;
  }

  read(outcome: Outcome): Answered {
    switch (outcome.type) {
      case "replied":
        return this.reply(outcome.message);
      case "filtered":
        // A filter of the endpoint says that there is nothing to ask for.
        return NOTHING;
      case "failed":
        return { error: outcome.error };
      default:
        return this.onTrial ? NOTHING : { error: errors.NO_ANSWER({ path: this.path }) };
    }
  }

  private reply({ payload, metadata }: Message): Answered {
    const { path } = this;
    const written = metadata.get(HTTP_STATUS);
    const status = written !== undefined && /^\d{3}$/.test(written) ? Number(written) : undefined;
    if (status === 404) return NOTHING;
    if (status !== undefined && (status < 200 || status > 299)) {
      const row = status >= 500 || FOR_NOW.includes(status) ? errors.BUSY : errors.REFUSED;
      return { error: row({ path, status }) };
    }
    return this.payload(payload);
  }

  /** JSON stays JSON, everything else becomes a JSON string; nothing, and null, is nothing. */
  private payload(payload: Uint8Array): Answer {
    if (payload.length === 0) return NOTHING;
    if (!this.isJson(payload)) {
      return { found: true, json: Buffer.from(JSON.stringify(asBuffer(payload).toString("utf8"))) };
    }
    const json = withoutBlanks(payload);
    return json.length === NULL.length && NULL.every((byte, i) => json[i] === byte) ? NOTHING : { found: true, json };
  }

  private isJson(bytes: Uint8Array): boolean {
    const { length } = bytes;
    const behind = scanJsonValue(bytes, skipJsonBlank(bytes, 0, length), length, this.stack);
    return behind >= 0 && skipJsonBlank(bytes, behind, length) === length && isUtf8(bytes);
  }
}
