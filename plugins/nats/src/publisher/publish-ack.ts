import { failed, type Outcome } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { type Frame, statusOf } from "../wire/frame.ts";

interface Refusal {
  readonly code: number;
  readonly err_code?: number;
  readonly description?: string;
}

const BEGIN = Buffer.from('{"stream":"');
const SEQUENCE = Buffer.from('"seq":');
const SHORTEST = BEGIN.length + SEQUENCE.length + 2;
const CLOSED_BRACE = 125;
/** What the message itself has too much of: larger than the stream takes, headers larger than any takes. */
const HOPELESS = new Set([10_054, 10_097]);
/** Nothing is ever stored in it again. */
const SEALED = 10_109;

/**
 * What the stream says to a message; undefined = stored, also when it has it already. A subject may have other listeners,
 * which may answer, too: "foreign" is what no stream says.
 */
export function judgeAck(answer: Frame, target: string, subject: string): Outcome | "foreign" | undefined {
  if (isPlainAck(answer)) return undefined;
  if (statusOf(answer) === 503) return failed(errors.NO_STREAM_NOW({ target, subject }));
  const { error, stream, seq } = parsed(answer.data);
  if (error === undefined) return typeof stream === "string" && typeof seq === "number" ? undefined : "foreign";
  const refusal = error as Partial<Refusal> | null;
  if (typeof refusal?.code !== "number") return "foreign";
  const { code: status, err_code: code = status, description: reason = "no reason given" } = refusal;
  if (code === SEALED) return failed(errors.API({ target, what: `store a message of ${subject}`, code, reason }));
  const facts = { target, subject, code, reason };
  // Limits are raised, room is made, a duplicate is decided: all else may pass.
  return failed(HOPELESS.has(code) ? errors.REFUSED(facts) : errors.NOT_STORED(facts));
}

/** `{"stream":"…", … "seq":123}`, as the server writes it, without parsing each. */
function isPlainAck({ bytes, payload, end }: Frame): boolean {
  let at = end - 1;
  if (end - payload < SHORTEST || bytes[at] !== CLOSED_BRACE || !holdsAt(bytes, payload, BEGIN)) return false;
  while (isDigit(bytes[at - 1])) at--;
  return at < end - 1 && holdsAt(bytes, at - SEQUENCE.length, SEQUENCE);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}

function holdsAt(data: Uint8Array, from: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (data[from + i] !== text[i]) return false;
  return true;
}

/** Empty for what is no JSON object. */
function parsed(data: Buffer): { readonly error?: unknown; readonly stream?: unknown; readonly seq?: unknown } {
  try {
    return (JSON.parse(data.toString("utf8")) as object | null) ?? {};
  } catch {
    return {};
  }
}
