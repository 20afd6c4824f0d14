import { defineErrors, errorRow } from "@mqb/core/plugin";

/** Errors of each kind, for sinks that fail. */
export const failures = defineErrors("MQB_TEST", {
  BUSY: errorRow<Record<string, never>>({ kind: "retryable", message: () => "the sink is busy" }),
  REJECTED: errorRow<Record<string, never>>({ kind: "permanent", message: () => "the sink rejects the message" }),
  CUT: errorRow<Record<string, never>>({ kind: "connection", message: () => "the connection is cut" }),
  CONFIG: errorRow<Record<string, never>>({ kind: "config", message: () => "there is no such table" }),
});

export const busy = failures.BUSY({});
export const rejected = failures.REJECTED({});
export const cut = failures.CUT({});
