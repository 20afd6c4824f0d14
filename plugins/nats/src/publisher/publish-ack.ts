import { asBuffer, failed, type Outcome } from "@mqb/core/plugin";
import { type RawMsg, statusOf } from "../client/driver.ts";
import { errors } from "../errors.ts";

interface Refusal {
  readonly code: number;
  readonly err_code?: number;
  readonly description?: string;
}

/** The letter behind `{"`: `{"stream":…` or `{"error":…`. */
const FIRST_LETTER = 2;
const S = 115;
/** The stream is full and keeps what it has, or the server is short of something: it may take the message later. */
const LATER = new Set([10_077, 10_167, 10_047, 10_023, 10_008]);

/** What the stream says to a message; undefined = stored, also when it has it already. */
export function judgeAck(answer: RawMsg, target: string, subject: string): Outcome | undefined {
  const { data } = answer;
  if (data[FIRST_LETTER] === S) return undefined;
  if (statusOf(answer) === 503) return failed(errors.NO_STREAM_NOW({ target, subject }));
  let error: Refusal | undefined;
  try {
    ({ error } = JSON.parse(asBuffer(data).toString("utf8")) as { error?: Refusal });
  } catch {
    error = { code: 0, description: "the answer is not that of a stream" };
  }
  if (!error) return undefined;
  const { code, err_code: detail = code, description: reason = "no reason given" } = error;
  const facts = { target, subject, code: detail, reason };
  const hopeless = code >= 400 && code < 500 && !LATER.has(detail);
  return failed(hopeless ? errors.REFUSED(facts) : errors.NOT_STORED(facts));
}
