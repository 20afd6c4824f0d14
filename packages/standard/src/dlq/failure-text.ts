import { describeError, isMqbError, kindOf } from "@mqb/core/plugin";

/** What `mq_bridge.dlq.error` says: every error of the chain with the class that mq-bridge gives it. */
export function failureText(error: unknown): string {
  if (!isMqbError(error)) return label(error) + describeError(error);
  const text = label(error) + error.message;
  const { cause } = error;
  if (isMqbError(cause)) return `${text}: ${failureText(cause)}`;
  if (cause === undefined) return text;
  const reason = describeError(cause);
  return error.message.includes(reason) ? text : `${text}: ${reason}`;
}

function label(error: unknown): string {
  const kind = kindOf(error, "retryable");
  return kind === "permanent" ? "non-retryable error: " : kind === "retryable" ? "retryable error: " : "";
}
