import { errors } from "../errors.ts";

export const FAULTS = ["panic", "disconnect", "timeout", "json_format_error", "nack"] as const;

export type Fault = (typeof FAULTS)[number];

const WORDS: Readonly<Record<Fault, string>> = {
  panic: "Simulated panic",
  disconnect: "Simulated disconnect",
  timeout: "Simulated timeout",
  json_format_error: "Simulated JSON format error",
  nack: "Simulated nack",
};

/** The error of a fault. `by` is the name that mq-bridge gives itself in its dead letters. */
export function faultError(fault: Fault, by: "RandomPanicPublisher" | "RandomPanicConsumer"): Error {
  const text = `${by}: ${WORDS[fault]}`;
  // Like a mistake in somebody's code: an error without a kind.
  if (fault === "panic") return new Error(text);
  return fault === "json_format_error" ? errors.FAULT_FOR_GOOD({ text }) : errors.FAULT({ text });
}
